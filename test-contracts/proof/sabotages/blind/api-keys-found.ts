import type { ApiKey, ApiKeyStore } from '@pinfold/core';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { CREATED, EXISTS } from './api-keys-kept.ts';

const { does, answers, isCurtIn, listensIn } = waysOf<ApiKeyStore>();

/** Ways to be wrong about the first key and in finding one, written from the sentences of the port alone. */
export const foundApiKeySabotages: Sabotages<ApiKeyStore> = {
  'only keys in force make the first too late': does('createFirst', async (store, key, ...rest) => {
    const there = await store.list(undefined);
    const inForce = there.some(({ revokedAt }) => revokedAt === null);
    return inForce ? EXISTS : store.create(key, ...rest).then(() => CREATED);
  }),
  'every account has a first key': does('createFirst', async (store, key, ...rest) => {
    const there = await store.list(key.account);
    return there.length > 0 ? EXISTS : store.create(key, ...rest).then(() => CREATED);
  }),
  'the first key may be created again': does('createFirst', async (store, key, ...rest) => {
    const there = await store.find(key.id);
    const answer = await store.createFirst(key, ...rest);
    return there?.secretHash === key.secretHash ? CREATED : answer;
  }),
  'what came too late to be the first is there all the same': does(
    'createFirst',
    async (store, key, ...rest) => {
      const answer = await store.createFirst(key, ...rest);
      if (answer.kind === 'exists') await store.create(key, ...rest);
      return answer;
    },
  ),
  'of many at once several are the first': does('createFirst', async (store, key, ...rest) => {
    const { length } = await store.list(undefined);
    await turns(2);
    if (length > 0) return EXISTS;
    await store.create(key, ...rest);
    return CREATED;
  }),
  'only a first key makes the first too late': () => {
    let isThere = false;
    return (store) => ({
      createFirst: async (key, ...rest) => {
        const answer = await store.createFirst(key, ...rest);
        if (isThere) return EXISTS;
        isThere = true;
        if (answer.kind === 'exists') await store.create(key, ...rest);
        return CREATED;
      },
    });
  },
  'a revoked key is found no more': answers('find', (key) => (key?.revokedAt === null ? key : undefined)),
  'a key that was not there is not there later': () => (store) => {
    const absent = new Set<string>();
    return {
      find: async (id, signal) => {
        const key = absent.has(id) ? undefined : await store.find(id, signal);
        if (key === undefined) absent.add(id);
        return key;
      },
    };
  },
  'a found key is kept until this handle writes': () => (store) => {
    const kept = new Map<string, ApiKey>();
    return {
      find: async (id, signal) => {
        const key = kept.get(id) ?? (await store.find(id, signal));
        if (key !== undefined) kept.set(id, key);
        return key;
      },
      revoke: async (id, ...rest) => {
        kept.delete(id);
        return store.revoke(id, ...rest);
      },
      touch: async (id, ...rest) => {
        kept.delete(id);
        return store.touch(id, ...rest);
      },
    };
  },
  'what was found changes with the key': () => {
    const shown = new Map<string, ApiKey>();
    return (store) => ({
      find: async (id, signal) => {
        const key = await store.find(id, signal);
        if (key === undefined) return undefined;
        const same = Object.assign(shown.get(id) ?? {}, key);
        shown.set(id, same);
        return same;
      },
    });
  },
  'an aborted signal rejects with an error of its own': does('find', async (store, id, signal) => {
    if (signal?.aborted) throw new DOMException('aborted', 'AbortError');
    return store.find(id, signal);
  }),
  'an aborted signal is looked at only where a key is there': does('find', async (store, id, signal) => {
    const key = await store.find(id);
    if (key !== undefined) signal?.throwIfAborted();
    return key;
  }),
  'find goes on listening': listensIn('find'),
  'an unknown id is the last key made': does('find', async (store, id, signal) => {
    const key = await store.find(id, signal);
    return key ?? (await store.list(undefined)).findLast((other) => other.id.startsWith(id));
  }),
  'the first key does not say why the database does not answer': isCurtIn('createFirst'),
};
