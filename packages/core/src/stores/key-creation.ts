import type { Authority, Credential } from '../domain/actor.ts';
import { refuseErasing, refuseKey } from '../domain/admission.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId } from '../domain/identity.ts';
import { all, together } from '../records/joining.ts';
import type { Locks } from '../records/program.ts';
import type { Step, Steps } from '../records/step.ts';
import { aggregate, get, insert, type Totals } from '../records/steps.ts';
import { API_KEYS } from '../records/tables/account-tables.ts';
import { accountLock, credentialLock, FIRST_KEY_LOCK, MODE_LOCK } from '../records/tables/locks.ts';
import type { KeyQuotaExceeded, Refusal } from '../refusal.ts';
import { type CheckedChange, credentialLocks, insertAccount } from './checks.ts';
import { eventLocks, type FeedEnds, feedEnds, insertEvents } from './events.ts';

const TAKEN = ['id'] as const;

/** A key to create. */
export interface KeyCreation {
  readonly key: ApiKey;
  readonly events: readonly HistoryEvent[];
  readonly authority: Authority;
  /** The most keys of the account that are not revoked; null: no limit. */
  readonly limit: number | null;
  /** The key or session of who creates it. */
  readonly credential?: Credential | undefined;
}

type Created = { readonly kind: 'created' } | { readonly kind: 'exists' };

/** A key by what its locks follow from. */
export type KeyPlace = Pick<ApiKey, 'id' | 'account'>;

/** The locks that are held exclusively to change a key. */
export function keyLocks({ id, account }: KeyPlace): readonly string[] {
  return [accountLock(account), credentialLock(id)];
}

/** The locks to create a key that may be the first one or not. */
export function keyCreationLocks({
  key,
  events,
  credential,
}: Pick<KeyCreation, 'key' | 'events' | 'credential'>): Required<Locks> {
  return {
    exclusive: [...keyLocks(key), ...eventLocks(events)],
    shared: [MODE_LOCK, FIRST_KEY_LOCK, ...credentialLocks(credential)],
  };
}

/** Counts the keys of an account that are not revoked. */
export function countLive(account: AccountId): Step<Totals, 'read'> {
  return aggregate(API_KEYS, { account, revokedAt: null });
}

/** Creates a key, unless its id is taken or it is refused, also by a check of who creates it. */
export function* createKey<Refused>(
  { key, events, authority, limit }: Omit<KeyCreation, 'credential'>,
  check: Steps<CheckedChange<Refused>, 'read'>,
): Steps<Created | Refused | Refusal<'account_blocked'> | KeyQuotaExceeded> {
  const [{ account, refusal }, taken, live, ends] = yield* together(
    check,
    get(API_KEYS, { id: key.id }, TAKEN),
    countLive(key.account),
    feedEnds(events),
  );
  if (refusal !== undefined) return refusal;
  if (account?.blocked?.isErasing === true) return refuseErasing(account.blocked);
  if (taken !== undefined) return { kind: 'exists' };
  const past = authority === 'operator' ? undefined : refuseKey(live.count, limit);
  if (past !== undefined) return past;
  yield* storeKey(key, account, events, ends);
  return { kind: 'created' };
}

/** Stores a key with its account and its events. */
export function storeKey(
  key: ApiKey,
  account: object | undefined,
  events: readonly HistoryEvent[],
  ends: FeedEnds,
): Step<unknown> {
  return all(insert(API_KEYS, key), insertAccount(key.account, account), ...insertEvents(events, ends));
}
