import type { ApiKey, ApiKeyId, ApiKeyStore } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';

const { answers, does } = waysOf<ApiKeyStore>();

/** The key of an id, or else one like it. */
const finds = (isLike: (id: string, asked: string) => boolean) =>
  does(
    'find',
    async (store, id, signal) =>
      (await store.find(id, signal)) ?? (await store.list(undefined)).find((key) => isLike(key.id, id)),
  );

/** The keys of an account and of those like it. */
const lists = (isLike: (account: string, asked: string) => boolean) =>
  does('list', async (store, account) =>
    (await store.list(undefined)).filter((key) => account === undefined || isLike(key.account, account)),
  );

/** Keys in another order. */
const sorts = (compare: (one: ApiKey, other: ApiKey) => number) =>
  answers('list', (keys) => [...keys].sort(compare));

const padded = (id: string) => id.replace(/\d+/g, (digits) => digits.padStart(32, '0'));

const found: Sabotages<ApiKeyStore> = {
  'the beginning of an id finds a key': finds((id, asked) => id.startsWith(asked)),
  'an id of digits finds a key without its zeros': finds((id, asked) =>
    [id, asked].every((text) => /^\d+$/.test(text)) ? Number(id) === Number(asked) : false,
  ),
  'an id is looked up in a plain object': does('find', async (store, id, signal) =>
    id in {} ? ({ id } as ApiKey) : store.find(id, signal),
  ),
  'a handle remembers which ids are unknown': () => (store) => {
    const unknown = new Set<ApiKeyId>();
    return {
      find: async (id, signal) => {
        const key = unknown.has(id) ? undefined : await store.find(id, signal);
        if (key === undefined) unknown.add(id);
        return key;
      },
    };
  },
  'a handle remembers keys that are revoked': () => (store) => {
    const revoked = new Map<ApiKeyId, ApiKey>();
    return {
      find: async (id, signal) => {
        const key = revoked.get(id) ?? (await store.find(id, signal));
        if (key !== undefined && key.revokedAt !== null) revoked.set(id, key);
        return key;
      },
    };
  },
  'a handle answers what it found last, and looks again behind that': () => (store) => {
    const last = new Map<ApiKeyId, ApiKey>();
    return {
      find: async (id, signal) => {
        const [was, key] = [last.get(id), await store.find(id, signal)];
        if (key !== undefined) last.set(id, key);
        return was ?? key;
      },
    };
  },
  'an unknown id is undefined, whatever its signal says': does('find', async (store, id, signal) =>
    (await store.find(id)) === undefined ? undefined : store.find(id, signal),
  ),
  'a reason that is no error is told as one': does('find', async (store, id, signal) => {
    if (signal?.aborted && !(signal.reason instanceof Error)) throw new Error(String(signal.reason));
    return store.find(id, signal);
  }),
  'a look that finds nothing goes on listening': does('find', async (store, id, signal) => {
    const key = await store.find(id, signal);
    if (key === undefined) signal?.addEventListener('abort', () => undefined);
    return key;
  }),
};

const listed: Sabotages<ApiKeyStore> = {
  'an account gives those that its underscores stand for': lists((account, asked) =>
    asked.includes('_')
      ? account.length === asked.length && [...asked].every((c, n) => c === '_' || c === account[n])
      : account === asked,
  ),
  'an account gives the keys of at most a thousand': answers('list', (keys, account) =>
    account === undefined ? keys : keys.slice(0, 1_000),
  ),
  'keys of one instant are in order of the numbers in their ids': sorts(
    (one, other) => one.createdAt - other.createdAt || (padded(one.id) < padded(other.id) ? -1 : 1),
  ),
  'keys of one second are in order of their ids': sorts(
    (one, other) =>
      Math.floor(one.createdAt / 1_000) - Math.floor(other.createdAt / 1_000) || (one.id < other.id ? -1 : 1),
  ),
  'keys of one instant are in order of their creation': () => {
    const turn: ApiKeyId[] = [];
    return (store) => ({
      create: async (key, ...rest) => {
        turn.push(key.id);
        return store.create(key, ...rest);
      },
      list: async (account) =>
        [...(await store.list(account))].sort(
          (one, other) => one.createdAt - other.createdAt || turn.indexOf(one.id) - turn.indexOf(other.id),
        ),
    });
  },
  'a handle fills the list that it answered before': () => (store) => {
    const answered: ApiKey[] = [];
    return {
      list: async (account) => {
        const keys = await store.list(account);
        answered.splice(0, answered.length, ...keys);
        return answered;
      },
    };
  },
  'a handle lists anew only where a key came': () => (store) => {
    const last = new Map<string | undefined, readonly ApiKey[]>();
    return {
      list: async (account) => {
        const [was, keys] = [last.get(account), await store.list(account)];
        if (was?.length === keys.length) return was;
        last.set(account, keys);
        return keys;
      },
    };
  },
  'keys are read in hundreds, each after an instant and an id': answers('list', (keys) => {
    const read: ApiKey[] = [];
    for (let left = [...keys]; left.length > 0; ) {
      const part = left.slice(0, 100);
      const last = part.at(-1) as ApiKey;
      read.push(...part);
      left = left.slice(100).filter((key) => key.createdAt >= last.createdAt && key.id > last.id);
    }
    return read;
  }),
};

export const fourthApiKeysFound: Sabotages<ApiKeyStore> = { ...found, ...listed };
