import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AccountId,
  type ApiKey,
  type ApiKeyId,
  type ApiKeyStore,
  after,
  before,
  duration,
  type HistoryEvent,
  type Instant,
  type Sha256,
} from '@pinfold/core';
import { KNOWN_SCOPES } from '@pinfold/core/adapter';
import type { Spoiling } from '../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from './ways.ts';

const {
  answers,
  asks,
  coversUp,
  does,
  hurries,
  isCurtIn,
  isDeafIn,
  isRawIn,
  keeps,
  listensIn,
  misnames,
  wrapsAbortsIn,
} = waysOf<ApiKeyStore>();

const MOMENT = duration(1);
const CREATED = { kind: 'created' } as const;
const EXISTS = { kind: 'exists' } as const;
const REVOKED = { kind: 'revoked' } as const;
const UNKNOWN = { kind: 'unknown' } as const;

/** Creates a key that is another in some of its members. */
function creates(change: (key: ApiKey) => Partial<ApiKey>): Spoiling<ApiKeyStore> {
  return asks('create', (key, events) => [{ ...key, ...change(key) }, events]);
}

/** Finds a key that is another in some of its members. */
function finds(change: (key: ApiKey) => Partial<ApiKey>): Spoiling<ApiKeyStore> {
  return answers('find', (key) => key && { ...key, ...change(key) });
}

/** Lists other keys. */
function lists(
  change: (keys: readonly ApiKey[], account: AccountId | undefined) => readonly ApiKey[],
): Spoiling<ApiKeyStore> {
  return answers('list', (keys, account) => change(keys, account));
}

/** Looks a key up by something else than its whole id. */
function looksUp(same: (known: ApiKeyId, asked: ApiKeyId) => boolean): Spoiling<ApiKeyStore> {
  return does('find', async (store, id, signal) => {
    const found = await store.find(id, signal);
    return found ?? (await store.list(undefined)).find((key) => same(key.id, id));
  });
}

const creatingSabotages: Sabotages<ApiKeyStore> = {
  'a key is forgotten': does('create', async () => CREATED),
  'creating answers before it is done': hurries('create', CREATED),
  'labels are trimmed': creates(({ label }) => ({ label: label.trim() })),
  'labels are cut at 255 characters': creates(({ label }) => ({ label: label.slice(0, 255) })),
  'labels are normalised': creates(({ label }) => ({ label: label.normalize('NFC') })),
  'labels have one line': creates(({ label }) => ({ label: label.replaceAll('\n', ' ') })),
  'labels have no tabs': creates(({ label }) => ({ label: label.replaceAll('\t', ' ') })),
  'an empty label is a dash': creates(({ label }) => ({ label: label || '-' })),
  'no scopes are all': creates(({ scopes }) => ({ scopes: scopes.length === 0 ? KNOWN_SCOPES : scopes })),
  'scopes are sorted backwards': finds(({ scopes }) => ({ scopes: scopes.toReversed() })),
  'only the first scope is kept': creates(({ scopes }) => ({ scopes: scopes.slice(0, 1) })),
  'reading is a scope of every key': creates(({ scopes }) => ({
    scopes: [...new Set(['pins:read' as const, ...scopes])],
  })),
  'hashes are numbers': finds(({ secretHash }) => ({ secretHash: String(Number(secretHash)) as Sha256 })),
  'hashes are in upper case': finds(({ secretHash }) => ({ secretHash: secretHash.toUpperCase() as Sha256 })),
  'accounts of keys are trimmed of what is no letter': creates(({ account }) => ({
    account: account.replaceAll(/[^\w ]/g, '') as AccountId,
  })),
  'accounts of keys are cut at 128 characters': creates(({ account }) => ({
    account: account.slice(0, 128) as AccountId,
  })),
  'keys are created now': creates(() => ({ createdAt: Date.now() as Instant })),
  'keys are created at whole seconds': creates(({ createdAt }) => ({
    createdAt: (createdAt - (createdAt % 1_000)) as Instant,
  })),
  'instants have 32 bits of seconds': finds(({ createdAt }) => ({
    createdAt: (createdAt % 4_294_967_296_000) as Instant,
  })),
  'a new key was never used': creates(() => ({ lastUsedAt: null })),
  'a new key is not revoked': creates(() => ({ revokedAt: null })),
  'a key that is there is written over': () => {
    const written = new Map<ApiKeyId, ApiKey>();
    return (store) => ({
      create: async (key, events) => {
        written.set(key.id, key);
        return await store.create(key, events);
      },
      find: async (id, signal) => {
        const found = await store.find(id, signal);
        return found && { ...found, label: written.get(id)?.label ?? found.label };
      },
    });
  },
  'a key that was revoked can be created again': does('create', async (store, key, events) => {
    const outcome = await store.create(key, events);
    const found = await store.find(key.id);
    return found?.revokedAt === null ? outcome : CREATED;
  }),
  'who comes second is told that it was created': coversUpExists('create'),
  'ids are taken whatever their case': does('create', async (store, key, events) => {
    const same = (await store.list(undefined)).some(({ id }) => id.toLowerCase() === key.id.toLowerCase());
    return same ? EXISTS : await store.create(key, events);
  }),
  'ids are taken whatever is around them': does('create', async (store, key, events) => {
    const same = (await store.list(undefined)).some(({ id }) => id.trim() === key.id.trim());
    return same ? EXISTS : await store.create(key, events);
  }),
  'creating looks first and writes later': () => {
    const created = new Map<ApiKeyId, ApiKey>();
    return (store) => ({
      create: async (key, events) => {
        const found = await store.find(key.id);
        await nextTurn();
        if (found !== undefined) return EXISTS;
        created.set(key.id, key);
        await store.create(key, events);
        return CREATED;
      },
    });
  },
  'what cannot be created exists': coversUp('create', EXISTS),
  'what fails in creating comes out raw': isRawIn('create'),
  'the first key is one of its account': does('createFirst', async (store, key, events) => {
    const own = await store.list(key.account);
    return own.length > 0 ? EXISTS : await create(store, key, events);
  }),
  'a revoked key does not count for the first': does('createFirst', async (store, key, events) => {
    const valid = (await store.list(undefined)).filter(({ revokedAt }) => revokedAt === null);
    return valid.length > 0 ? EXISTS : await create(store, key, events);
  }),
  'the first looks first and writes later': does('createFirst', async (store, key, events) => {
    const keys = await store.list(undefined);
    await nextTurn();
    return keys.length > 0 ? EXISTS : await create(store, key, events);
  }),
  'there is never a first': does('createFirst', async () => EXISTS),
  'the first is forgotten': does('createFirst', async () => CREATED),
  'every key is the first': does('createFirst', (store, key, events) => create(store, key, events)),
  'a fault of the first has no cause': isCurtIn('createFirst'),
};

const findingSabotages: Sabotages<ApiKeyStore> = {
  'ids are found whatever their case': looksUp((known, id) => known.toLowerCase() === id.toLowerCase()),
  'ids are found by their beginning': looksUp((known, id) => known.startsWith(id)),
  'ids are found with spaces behind them': looksUp((known, id) => known === id.trim()),
  'ids are taken for patterns': looksUp((known, id) => id.endsWith('%') && known.startsWith(id.slice(0, -1))),
  'a single character is any': looksUp((known, id) => id.endsWith('_') && known.startsWith(id.slice(0, -1))),
  'an unknown key is a fault': answers('find', (key) => {
    if (key === undefined) throw new Error('unknown');
    return key;
  }),
  'a revoked key is not found': answers('find', (key) => (key?.revokedAt == null ? key : undefined)),
  'what was found is kept': keeps('find'),
  'what was not found is kept': () => (store) => {
    const absent = new Set<ApiKeyId>();
    return {
      find: async (id, signal) => {
        const key = absent.has(id) ? undefined : await store.find(id, signal);
        if (key === undefined) absent.add(id);
        return key;
      },
    };
  },
  'finding does not look at its signal': isDeafIn('find'),
  'an abort of finding is a fault': wrapsAbortsIn('find', 'store_unavailable'),
  'finding goes on listening': listensIn('find'),
  'a store that does not answer has no key': coversUp('find', undefined),
  'a fault of finding has another name': misnames('find', 'store_corrupt'),
  'a list is in the order of ids': lists((keys) => keys.toSorted((one, two) => (one.id < two.id ? -1 : 1))),
  'a list is the newest first': lists((keys) => keys.toReversed()),
  'keys of one instant are in the order of a language': lists((keys) =>
    keys.toSorted((one, two) => one.createdAt - two.createdAt || one.id.localeCompare(two.id, 'en')),
  ),
  'keys of one instant are one': lists((keys) =>
    keys.filter(({ createdAt }, n) => keys[n - 1]?.createdAt !== createdAt),
  ),
  'a list ends at a hundred': lists((keys) => keys.slice(0, 100)),
  'a list ends at a thousand': lists((keys) => keys.slice(0, 1_000)),
  'a list has no revoked keys': lists((keys) => keys.filter(({ revokedAt }) => revokedAt === null)),
  'a list of an account is of all': does('list', (store) => store.list(undefined)),
  'a list of all is of none': lists((keys, account) => (account === undefined ? [] : keys)),
  'accounts are listed whatever their case': does('list', async (store, account) =>
    (await store.list(undefined)).filter(
      (key) => account === undefined || key.account.toLowerCase() === account.toLowerCase(),
    ),
  ),
  'lists are kept': keeps('list'),
  'a store that does not answer has no keys': coversUp('list', []),
};

const changingSabotages: Sabotages<ApiKeyStore> = {
  'revoking does nothing': does('revoke', async () => REVOKED),
  'revoking answers before it is done': hurries('revoke', REVOKED),
  'revoking an unknown key is revoking': answers('revoke', () => REVOKED),
  'revoking again is unknown': does('revoke', async (store, id, at, events) => {
    const found = await store.find(id);
    const outcome = await store.revoke(id, at, events);
    return found?.revokedAt == null ? outcome : UNKNOWN;
  }),
  'a key is revoked from now on': asks('revoke', (id, _, events) => [id, Date.now() as Instant, events]),
  'a key is revoked a millisecond late': asks('revoke', (id, at, events) => [id, after(at, MOMENT), events]),
  'revoking again moves the instant': () => {
    const last = new Map<ApiKeyId, Instant>();
    return (store) => ({
      revoke: async (id, at, events) => {
        last.set(id, at);
        return await store.revoke(id, at, events);
      },
      find: async (id, signal) => {
        const key = await store.find(id, signal);
        return key && { ...key, revokedAt: key.revokedAt && (last.get(id) ?? key.revokedAt) };
      },
    });
  },
  'revoking revokes all of the account': does('revoke', async (store, id, at, events) => {
    const account = (await store.find(id))?.account;
    const outcome = await store.revoke(id, at, events);
    for (const key of await store.list(account)) await store.revoke(key.id, at, []);
    return outcome;
  }),
  'what cannot be revoked is unknown': coversUp('revoke', UNKNOWN),
  'use is never noted': does('touch', async () => undefined),
  'use is noted each time': asks('touch', (id, at) => [id, at, at]),
  'use is noted once': does('touch', async (store, id, at, unlessSince) => {
    const found = await store.find(id);
    if (found?.lastUsedAt == null) await store.touch(id, at, unlessSince);
  }),
  'use is noted a millisecond late': asks('touch', (id, at, unlessSince) => [
    id,
    after(at, MOMENT),
    unlessSince,
  ]),
  'what was noted at the instant stays': asks('touch', (id, at, unlessSince) => [
    id,
    at,
    before(unlessSince, MOMENT),
  ]),
  'use is noted of all keys of the account': does('touch', async (store, id, at, unlessSince) => {
    const account = (await store.find(id))?.account;
    for (const key of await store.list(account)) await store.touch(key.id, at, unlessSince);
  }),
  'use in the instant of creation is not noted': does('touch', async (store, id, at, unlessSince) => {
    const created = (await store.find(id))?.createdAt;
    if (at !== created) await store.touch(id, at, unlessSince);
  }),
  'use that cannot be noted is forgotten': coversUp('touch', undefined),
};

/** What a store of keys may do wrong. */
export const apiKeySabotages: Sabotages<ApiKeyStore> = {
  ...creatingSabotages,
  ...findingSabotages,
  ...changingSabotages,
};

/** Creates a key as the first, which is asked of no account. */
function create(
  store: ApiKeyStore,
  key: ApiKey,
  events: readonly HistoryEvent[],
): ReturnType<ApiKeyStore['createFirst']> {
  return store.create(key, events) as ReturnType<ApiKeyStore['createFirst']>;
}

/** Tells everybody that it was created. */
function coversUpExists(name: 'create' | 'createFirst'): Spoiling<ApiKeyStore> {
  return answers(name, () => CREATED);
}
