import type { Account } from '../../domain/account.ts';
import type { ApiKey, Consent, Pairing } from '../../domain/api-key.ts';
import type { EventActor, EventCursor } from '../../domain/history.ts';
import type { AccountId, RoleId } from '../../domain/identity.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Session, SignInLink } from '../../domain/session.ts';
import type { Erasure } from '../../ports/erasure-store.ts';
import type { Version } from '../../ports/role-store.ts';
import { notNull } from '../conditions.ts';
import { defineTable, flag, integer, json, nullable, type RecordTable, sequence, text } from '../table.ts';
import { accountLock, attemptsLock, credentialLock, lockOf, pairingLock } from './locks.ts';

/** An account with its version. */
export interface AccountRow extends Account {
  readonly version: Version;
}

/** An account that is being erased, and the progress of its erasure. */
export interface ErasureRow extends Erasure {
  /** The actor who began it. */
  readonly actor: EventActor;
  /** The ids of people who acted as the account, to search all events for. */
  readonly persons: readonly string[];
  /** The last event that was searched; null before the first. */
  readonly searchedTo: EventCursor | null;
  /** Whether all events were searched. */
  readonly isSearched: boolean;
}

/** Accounts that are being erased. */
export const ERASURES: RecordTable<ErasureRow, 'account'> = defineTable({
  name: 'erasures',
  columns: {
    account: text,
    replacement: text,
    actor: json,
    persons: json,
    searchedTo: nullable(json),
    isSearched: flag,
  },
  key: ['account'],
  guards: ({ account }) => lockOf(accountLock, account),
});

/** Accounts that published something, have a key, or were changed. */
export const ACCOUNTS: RecordTable<AccountRow, 'name'> = defineTable({
  name: 'accounts',
  columns: {
    name: text,
    version: integer,
    limits: json,
    blocked: nullable(json),
    generation: integer,
    lastPublishedAt: nullable(integer),
    publicationsMark: nullable(integer),
  },
  key: ['name'],
  guards: ({ name }) => lockOf(accountLock, name),
});

/** API keys of all accounts. An operator's key may change another account, so each key has a lock, too. */
export const API_KEYS: RecordTable<ApiKey, 'id', { readonly account: AccountRow }> = defineTable({
  name: 'api_keys',
  columns: {
    id: text,
    account: text,
    scopes: json,
    label: text,
    secretHash: text,
    createdAt: integer,
    lastUsedAt: nullable(integer),
    revokedAt: nullable(integer),
    isEnsured: flag,
  },
  key: ['id'],
  indexes: [
    { name: 'in_order', columns: ['createdAt', 'id'] },
    { name: 'of_account', columns: ['account', 'createdAt', 'id'] },
    { name: 'live', columns: ['account'], where: { revokedAt: null } },
    { name: 'revoked', columns: ['revokedAt'], where: { revokedAt: notNull, isEnsured: false } },
  ],
  references: { account: () => ACCOUNTS },
  guards: ({ account, id }) => [...lockOf(accountLock, account), ...lockOf(credentialLock, id)],
});

/** Sessions of the management screen. */
export const SESSIONS: RecordTable<Session, 'tokenHash', { readonly account: AccountRow }> = defineTable({
  name: 'sessions',
  columns: {
    tokenHash: text,
    account: text,
    apiKey: nullable(text),
    actor: json,
    scope: text,
    displayName: nullable(text),
    startedAt: integer,
    endsAt: integer,
  },
  key: ['tokenHash'],
  indexes: [
    { name: 'end', columns: ['endsAt'] },
    { name: 'of_account', columns: ['account', 'startedAt', 'tokenHash'] },
  ],
  references: { account: () => ACCOUNTS },
  guards: ({ account, tokenHash }) => [...lockOf(accountLock, account), ...lockOf(credentialLock, tokenHash)],
});

/** Links that begin one session each. */
export const SIGN_IN_LINKS: RecordTable<SignInLink, 'tokenHash'> = defineTable({
  name: 'sign_in_links',
  columns: { tokenHash: text, account: text, actor: json, scope: text, endsAt: integer },
  key: ['tokenHash'],
  indexes: [
    { name: 'end', columns: ['endsAt'] },
    { name: 'of_account', columns: ['account'] },
  ],
  guards: ({ account, tokenHash }) => [...lockOf(accountLock, account), ...lockOf(credentialLock, tokenHash)],
});

/** When the last event of a refused sign-in of an account was stored. */
export const SESSION_REFUSALS: RecordTable<
  { readonly account: AccountId; readonly recordedAt: Instant },
  'account'
> = defineTable({
  name: 'session_refusals',
  columns: { account: text, recordedAt: integer },
  key: ['account'],
  guards: ({ account }) => lockOf(accountLock, account),
});

/** A pairing with the members of its consent, which are null until a person agrees. */
export type PairingRow = Omit<Pairing, 'consent'> & {
  readonly [Member in keyof Consent]: Consent[Member] | null;
};

/** Programs that ask for a key. */
export const PAIRINGS: RecordTable<PairingRow, 'secretHash'> = defineTable({
  name: 'pairings',
  columns: {
    secretHash: text,
    endsAt: integer,
    account: nullable(text),
    scopes: nullable(json),
    label: nullable(text),
    actor: nullable(json),
    session: nullable(text),
    apiKey: nullable(text),
  },
  key: ['secretHash'],
  indexes: [
    { name: 'ended', columns: ['endsAt'] },
    { name: 'agreed', columns: ['account', 'session'] },
  ],
  guards: ({ secretHash, account }) => [...lockOf(pairingLock, secretHash), ...lockOf(accountLock, account)],
});

/** A window in which password tries are counted: of one address, or of all together. */
export interface AttemptWindowRow {
  readonly role: RoleId;
  /** Unique among the windows of a role. The address is not a key, since it may be longer than an index allows. */
  readonly number: number;
  /** The address as JSON, or the empty text for all addresses together. */
  readonly counted: string;
  readonly endsAt: Instant;
  readonly tries: number;
}

/** One window for each role and for each of its addresses, and a second one while a node with a clock ahead counts tries. */
export const ATTEMPT_WINDOWS: RecordTable<AttemptWindowRow, 'role' | 'number'> = defineTable({
  name: 'attempt_windows',
  columns: { role: text, number: integer, counted: text, endsAt: integer, tries: integer },
  key: ['role', 'number'],
  indexes: [{ name: 'end', columns: ['endsAt'] }],
  guards: ({ role }) => lockOf(attemptsLock, role),
});

/** A try that is not settled yet. Two windows count it: that of its address, and that of its role. */
export interface AttemptRow {
  readonly role: RoleId;
  /** Unique among the unsettled tries of a role. */
  readonly number: number;
  /** Unique among all tries, even settled ones. */
  readonly ticket: number;
  readonly counted: string;
  readonly begunAt: Instant;
  /** The end of the window of its address. */
  readonly addressEndsAt: Instant;
  /** The end of the window of its role. */
  readonly roleEndsAt: Instant;
  /** The later one of these two ends. */
  readonly endsAt: Instant;
}

/** Tries that are not settled yet. */
export const ATTEMPTS: RecordTable<AttemptRow, 'role' | 'number', object, 'ticket'> = defineTable({
  name: 'attempts',
  columns: {
    role: text,
    number: integer,
    ticket: sequence,
    counted: text,
    begunAt: integer,
    addressEndsAt: integer,
    roleEndsAt: integer,
    endsAt: integer,
  },
  key: ['role', 'number'],
  indexes: [{ name: 'end', columns: ['endsAt'] }],
  guards: ({ role }) => lockOf(attemptsLock, role),
});
