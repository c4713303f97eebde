import { NO_ACCOUNT_LIMITS } from '../domain/account.ts';
import { type Credential, type SaveAuthority, UNAUTHORIZED } from '../domain/actor.ts';
import { checkAuthority, type Unchangeable } from '../domain/admission.ts';
import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId } from '../domain/identity.ts';
import { FIRST_GENERATION } from '../domain/role.ts';
import type { Version } from '../ports/role-store.ts';
import type { Locks } from '../records/program.ts';
import { all, nothing, type Step, type Steps, together } from '../records/step.ts';
import { get, insert } from '../records/steps.ts';
import type { RowOf } from '../records/table.ts';
import { ACCOUNTS, type AccountRow, API_KEYS, SESSIONS } from '../records/tables/account-tables.ts';
import { accountLock, credentialLock, lockOf, MODE_LOCK } from '../records/tables/locks.ts';
import type { Refusal } from '../refusal.ts';
import { eventLocks } from './events.ts';
import { getMode, modeOf } from './service-mode.ts';

/** The columns of an account for {@link checkCredential}. */
export const BLOCKED = ['blocked'] as const;
const REVOKED = ['revokedAt', 'account'] as const;
const SESSION = ['account'] as const;

/** A change of something that belongs to an account, and who makes it. */
export interface Change {
  readonly account: AccountId;
  /** The caller's key or session, of any account. */
  readonly credential?: Credential | undefined;
  /** The account's own when absent. */
  readonly authority?: SaveAuthority | undefined;
}

/** The result of a check. */
export interface CheckedChange<Refused = Unchangeable> {
  /** Undefined if the account has no row yet. */
  readonly account: Pick<AccountRow, 'blocked'> | undefined;
  /** Undefined if the change is allowed. */
  readonly refusal: Refused | undefined;
}

/** The locks of a change: under them, the result of {@link checkChange} stays true, and nothing else changes the account. */
export function changeLocks(
  { account, credential }: Omit<Change, 'authority'>,
  events: readonly HistoryEvent[],
): Required<Locks> {
  return {
    exclusive: [accountLock(account), ...eventLocks(events)],
    shared: [MODE_LOCK, ...credentialLocks(credential)],
  };
}

/** The locks that prevent the revocation of a key and the end of a session. */
export function credentialLocks({ key, session }: Credential = {}): readonly string[] {
  return [...lockOf(credentialLock, key), ...lockOf(credentialLock, session)];
}

/** Checks whether a change is allowed now. Call it under {@link changeLocks}. */
export function* checkChange({
  account: name,
  credential = {},
  authority,
}: Change): Steps<CheckedChange<Unchangeable | Refusal<'unauthorized'>>, 'read'> {
  const [{ account, refusal }, found] = yield* together(
    checkAccount(name, authority),
    getCredential(credential),
  );
  return { account, refusal: checkCredential(credential, found, { name, account }) ?? refusal };
}

/** Like {@link checkChange}, for a change without a credential. */
export function* checkAccount(name: AccountId, authority?: SaveAuthority): Steps<CheckedChange, 'read'> {
  const [account, mode] = yield* all(get(ACCOUNTS, { name }, BLOCKED), getMode);
  return { account, refusal: checkAuthority(account, modeOf(mode), authority) };
}

type FoundCredential = readonly [
  key: Pick<RowOf<typeof API_KEYS>, (typeof REVOKED)[number]> | undefined,
  session: Pick<RowOf<typeof SESSIONS>, (typeof SESSION)[number]> | undefined,
];

/** Reads the key and the session of a caller, for {@link checkCredential}. */
export function getCredential({
  key = null,
  session = null,
}: Credential = {}): Step<FoundCredential, 'read'> {
  return all(
    key === null ? nothing : get(API_KEYS, { id: key }, REVOKED),
    session === null ? nothing : get(SESSIONS, { tokenHash: session }, SESSION),
  );
}

/** Refuses a caller whose key was revoked or removed, whose session has ended, or whose account is being erased. */
export function checkCredential(
  { key: keyId = null, isKeyStored = false, session: tokenHash = null }: Credential,
  [key, session]: FoundCredential,
  owner: { readonly name: AccountId; readonly account: Pick<AccountRow, 'blocked'> | undefined },
): Refusal<'unauthorized'> | undefined {
  const isOwn = key?.account === owner.name || session?.account === owner.name;
  if (isOwn && owner.account?.blocked?.isErasing === true) return UNAUTHORIZED;
  // A key that an embedding application manages has no row here. Any other was removed, for example with its account.
  const isKeyGone = isKeyStored && keyId !== null && key === undefined;
  const isSessionGone = tokenHash !== null && session === undefined;
  return (key?.revokedAt ?? null) !== null || isKeyGone || isSessionGone ? UNAUTHORIZED : undefined;
}

/** Makes the row of an account that has none yet. */
export function newAccount(name: AccountId): AccountRow {
  return {
    name,
    version: 1 as Version,
    limits: NO_ACCOUNT_LIMITS,
    blocked: null,
    generation: FIRST_GENERATION,
    lastPublishedAt: null,
    publicationsMark: null,
  };
}

export function insertAccount(name: AccountId, known: object | undefined): Step<unknown> {
  return known === undefined ? insert(ACCOUNTS, newAccount(name)) : nothing;
}
