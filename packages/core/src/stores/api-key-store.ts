import { isErasedAccount } from '../domain/account.ts';
import type { Authority, Credential } from '../domain/actor.ts';
import { checkKeyLimit, refuseErasing } from '../domain/admission.ts';
import type { ApiKey, ApiKeyId } from '../domain/api-key.ts';
import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId } from '../domain/identity.ts';
import { after, CLOCK_TOLERANCE, type Instant } from '../domain/instant.ts';
import type { ApiKeyQuery, ApiKeyStore } from '../ports/api-key-store.ts';
import { lt } from '../records/conditions.ts';
import type { Database } from '../records/database.ts';
import { all, type Step, type Steps, together } from '../records/step.ts';
import {
  aggregate,
  find,
  get,
  getWith,
  insert,
  remove,
  type Totals,
  unlocked,
  update,
} from '../records/steps.ts';
import { ACCOUNTS, API_KEYS } from '../records/tables/account-tables.ts';
import { accountLock, credentialLock, FIRST_KEY_LOCK, MODE_LOCK } from '../records/tables/locks.ts';
import type { KeyQuotaExceeded, Refusal } from '../refusal.ts';
import { type CheckedChange, checkChange, credentialLocks, insertAccount } from './checks.ts';
import { eventLocks, type FeedEnds, feedEnds, insertEvents } from './events.ts';
import {
  addChange,
  addChangeQuery,
  addQuery,
  addRemoval,
  moreLocks,
  tryWithLocks,
} from './store-programs.ts';

const ID = ['id'] as const;
const PLACE = [...ID, 'account'] as const;
const FOUND_USED = [...PLACE, 'lastUsedAt'] as const;
const ENSURED = [...PLACE, 'isEnsured'] as const;
const PURGED = [...ID, 'isEnsured'] as const;
const REVOKED = ['revokedAt'] as const;
const OWNER = ['name'] as const;
const OF_OWNER = { account: ['blocked'] } as const;

/** The members of a key that its locks depend on. */
type KeyPlace = Pick<ApiKey, 'id' | 'account'>;

/** The exclusive locks to change a key. */
function keyLocks({ id, account }: KeyPlace): readonly string[] {
  return [accountLock(account), credentialLock(id)];
}

interface KeyCreation {
  readonly key: ApiKey;
  readonly events: readonly HistoryEvent[];
  readonly authority: Authority;
  /** The maximum number of keys of the account that are not revoked; null: no limit. */
  readonly limit: number | null;
}

/** Counts the keys of an account that are not revoked. */
function countLive(account: AccountId): Step<Totals, 'read'> {
  return aggregate(API_KEYS, { account, revokedAt: null });
}

/** Creates a key, unless its id exists, `check` refuses the creator, or the account has too many. */
export function* createKey<Refused>(
  { key, events, authority, limit }: KeyCreation,
  check: Steps<CheckedChange<Refused>, 'read'>,
): Steps<
  | { readonly kind: 'created' }
  | { readonly kind: 'exists' }
  | Refused
  | Refusal<'account_blocked'>
  | KeyQuotaExceeded
> {
  const [{ account, refusal }, taken, live, ends] = yield* together(
    check,
    get(API_KEYS, { id: key.id }, ID),
    countLive(key.account),
    feedEnds(events),
  );
  if (refusal !== undefined) return refusal;
  if (account?.blocked?.isErasing === true) return refuseErasing(account.blocked);
  if (taken !== undefined) return { kind: 'exists' };
  const excess = authority === 'operator' ? undefined : checkKeyLimit(live.count, limit);
  if (excess !== undefined) return excess;
  yield* storeKey(key, account, events, ends);
  return { kind: 'created' };
}

/** Stores a key with its account and its events. */
function storeKey(
  key: ApiKey,
  account: object | undefined,
  events: readonly HistoryEvent[],
  ends: FeedEnds,
): Step<unknown> {
  return all(insert(API_KEYS, key), insertAccount(key.account, account), ...insertEvents(events, ends));
}

interface Creation extends KeyCreation {
  /** The creator's key or session. */
  readonly credential: Credential;
  /** The locks that it holds beside those of the new key. */
  readonly more: readonly string[];
}

const create = addChange('api_keys.create', {
  locks: ({ key, events, credential, more }: Creation) => ({
    exclusive: [...keyLocks(key), ...eventLocks(events), ...more],
    // It may be the first key or not.
    shared: [MODE_LOCK, FIRST_KEY_LOCK, ...credentialLocks(credential)],
  }),
  *run({ more, ...creation }) {
    const { id, account, isEnsured } = creation.key;
    const outcome = yield* createKey(creation, checkChange({ ...creation, account }));
    if (outcome.kind !== 'exists' || !isEnsured) return outcome;
    const taken = yield* get(API_KEYS, { id }, ENSURED);
    if (taken === undefined || taken.isEnsured) return outcome;
    const missing = taken.account === account ? undefined : moreLocks([accountLock(taken.account)], more);
    if (missing !== undefined) return missing;
    yield* update(API_KEYS, { id }, { isEnsured: true });
    return outcome;
  },
});

const createFirst = addChange('api_keys.create_first', {
  locks: ([key, events]: Parameters<ApiKeyStore['createFirst']>) => ({
    exclusive: [FIRST_KEY_LOCK, ...keyLocks(key), ...eventLocks(events)],
  }),
  *run([key, events]) {
    const [any, account, ends] = yield* together(
      // Unlocked, since the key may be of any account: FIRST_KEY_LOCK prevents creations, and cleanups keep the oldest key.
      unlocked(find(API_KEYS, {}, { limit: 1, select: ID })),
      get(ACCOUNTS, { name: key.account }, OWNER),
      feedEnds(events),
    );
    if (any.length > 0) return { kind: 'exists' };
    yield* storeKey(key, account, events, ends);
    return { kind: 'created' };
  },
});

/** Finds a key, unless its account is being erased. */
const findKey = addQuery('api_keys.find', function* (id: ApiKeyId) {
  const found = yield* getWith(API_KEYS, { id }, OF_OWNER);
  return found?.references.account?.blocked?.isErasing === true ? undefined : found?.row;
});

const list = addQuery('api_keys.list', ({ account, after, limit }: ApiKeyQuery) =>
  find(API_KEYS, { account }, { order: ['createdAt', 'id'], descending: true, after, limit }),
);

const count = addQuery('api_keys.count_live', countLive);

/** Finds the account of a key to revoke, for its locks. It never changes. */
const findPlace = addChangeQuery('api_keys.find_place', (id: ApiKeyId) =>
  find(API_KEYS, { id }, { select: PLACE }),
);

const revoke = addChange('api_keys.revoke', {
  locks: ([place, , events]: readonly [KeyPlace, Instant, readonly HistoryEvent[]]) => ({
    exclusive: [...keyLocks(place), ...eventLocks(events)],
  }),
  usesReserve: () => true,
  *run([{ id }, at, events]) {
    const [key, ends] = yield* together(get(API_KEYS, { id }, REVOKED), feedEnds(events));
    if (key === undefined) return { kind: 'unknown' };
    if (key.revokedAt === null) {
      yield* all(update(API_KEYS, { id }, { revokedAt: at }), ...insertEvents(events, ends));
    }
    return { kind: 'revoked' };
  },
});

/** Finds when a key was last recorded as used. */
const findUsed = addQuery('api_keys.find_used', (id: ApiKeyId) => get(API_KEYS, { id }, FOUND_USED));

interface Use {
  readonly at: Instant;
  readonly unlessSince: Instant;
}

const touch = addChange('api_keys.touch', {
  locks: ({ place }: Use & { readonly place: KeyPlace }) => ({ exclusive: keyLocks(place) }),
  *run({ place: { id }, ...use }) {
    const key = yield* get(API_KEYS, { id }, FOUND_USED);
    if (key !== undefined && !isErasedAccount(key.account) && isStale(key, use))
      yield* update(API_KEYS, { id }, { lastUsedAt: use.at });
  },
});

const purge = addRemoval('api_keys.purge', {
  *find(revokedBefore: Instant, limit) {
    const revoked = { revokedAt: lt(revokedBefore), isEnsured: false };
    const [[oldest], places] = yield* all(
      find(API_KEYS, {}, { order: ['createdAt', 'id'], limit: 1, select: ID }),
      find(API_KEYS, revoked, { order: ['revokedAt'], limit: limit + 1, select: PLACE }),
    );
    return places.filter(({ id }) => id !== oldest?.id).slice(0, limit);
  },
  locks: keyLocks,
  *remove(places) {
    const keys = yield* all(...places.map(({ id }) => get(API_KEYS, { id }, PURGED)));
    // A revocation is final, but a setting may have named the key since it was found.
    const purged = keys.filter((key) => key !== undefined).filter(({ isEnsured }) => !isEnsured);
    yield* all(...purged.map(({ id }) => remove(API_KEYS, { id })));
    return purged.length;
  },
});

export function apiKeyStore(database: Database): ApiKeyStore {
  return {
    create: (key, events, authority = 'account', limit = null, credential = {}) =>
      tryWithLocks((more) => database.write(create, { key, events, authority, limit, credential, more })),
    createFirst: (...creation) => database.write(createFirst, creation),
    find: (id, signal) => database.read(findKey, id, signal),
    list: (query) => database.read(list, query),
    countLive: async (account) => (await database.read(count, account)).count,
    revoke: async (id, at, events) => {
      const [place] = await database.read(findPlace, id);
      return place === undefined ? { kind: 'unknown' } : database.write(revoke, [place, at, events]);
    },
    touch: async (id, at, unlessSince) => {
      // Reads first, without locks: nearly every use was recorded recently.
      const place = await database.read(findUsed, id);
      const use = { at, unlessSince };
      if (place !== undefined && isStale(place, use)) await database.write(touch, { place, ...use });
    },
    purge: (revokedBefore, limit) => purge(database, revokedBefore, limit),
  };
}

/** Whether the recorded use is so old, or so far ahead, from a wrong clock, that another one must be recorded. */
function isStale({ lastUsedAt }: Pick<ApiKey, 'lastUsedAt'>, { at, unlessSince }: Use): boolean {
  if (lastUsedAt === null || lastUsedAt > after(at, CLOCK_TOLERANCE)) return true;
  return lastUsedAt <= unlessSince && lastUsedAt < at;
}
