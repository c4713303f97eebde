import type { ApiKey, ApiKeyId, ApiKeyStore, Instant } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, turns, waysOf } from '../ways.ts';

const { does, isCurtIn } = waysOf<ApiKeyStore>();

const UNKNOWN = { kind: 'unknown' } as const;

/** Shows keys with what was written past the sound store. */
function patches(
  methods: (
    store: ApiKeyStore,
    patch: (id: ApiKeyId, fields: Partial<ApiKey>) => void,
  ) => Partial<ApiKeyStore>,
): Spoiling<ApiKeyStore> {
  return () => {
    const patched = new Map<ApiKeyId, Partial<ApiKey>>();
    const shown = (key: ApiKey): ApiKey => ({ ...key, ...patched.get(key.id) });
    return (store) => ({
      find: async (id, signal) => {
        const key = await store.find(id, signal);
        return key === undefined ? undefined : shown(key);
      },
      list: async (account) => (await store.list(account)).map(shown),
      ...methods(store, (id, fields) => patched.set(id, { ...patched.get(id), ...fields })),
    });
  };
}

export const sabotagesOfKeyUse: Sabotages<ApiKeyStore> = {
  'find remembers ids that were unknown': () => (store) => {
    const unknown = new Set<ApiKeyId>();
    return {
      find: async (id, signal) => {
        const key = await store.find(id, signal);
        if (key === undefined) unknown.add(id);
        return unknown.has(id) ? undefined : key;
      },
    };
  },
  'find gives one object that follows what happens': () => (store) => {
    const given = new Map<ApiKeyId, ApiKey>();
    return {
      find: async (id, signal) => {
        const key = await store.find(id, signal);
        if (key === undefined) return undefined;
        const answer = Object.assign(given.get(id) ?? {}, key);
        given.set(id, answer);
        return answer;
      },
    };
  },
  'find rejects with an error of its own where the reason is none': does(
    'find',
    async (store, id, signal) => {
      if (signal?.aborted && !(signal.reason instanceof Error))
        throw new DOMException('aborted', 'AbortError');
      return store.find(id, signal);
    },
  ),
  'revoke again moves to an earlier instant': patches((store, patch) => ({
    revoke: async (id, at, events) => {
      const was = await store.find(id);
      if (was !== undefined && was.revokedAt !== null && at < was.revokedAt) patch(id, { revokedAt: at });
      return store.revoke(id, at, events);
    },
  })),
  'revoke again is unknown': does('revoke', async (store, id, at, events) => {
    const was = await store.find(id);
    return was !== undefined && was.revokedAt !== null ? UNKNOWN : store.revoke(id, at, events);
  }),
  'revoke forgets the use of a key': patches((store, patch) => ({
    revoke: async (id, at, events) => {
      patch(id, { lastUsedAt: null });
      return store.revoke(id, at, events);
    },
  })),
  'revoke remembers ids that were unknown': () => {
    const wished = new Map<ApiKeyId, Instant>();
    return (store) => ({
      revoke: async (id, at, events) => {
        const answer = await store.revoke(id, at, events);
        if (answer.kind === 'unknown') wished.set(id, at);
        return answer;
      },
      create: async (key, ...rest) =>
        store.create({ ...key, revokedAt: wished.get(key.id) ?? key.revokedAt }, ...rest),
    });
  },
  'revoke at the last use is a millisecond later': does('revoke', async (store, id, at, events) => {
    const was = await store.find(id);
    return store.revoke(id, (was?.lastUsedAt === at ? at + 1 : at) as Instant, events);
  }),
  'touch does not note the use of a revoked key': does('touch', async (store, id, at, unlessSince) => {
    if ((await store.find(id))?.revokedAt === null) await store.touch(id, at, unlessSince);
  }),
  'touch takes a new key for one just used': does('touch', async (store, id, at, unlessSince) => {
    const key = await store.find(id);
    if (key?.lastUsedAt === null && key.createdAt > unlessSince) return;
    await store.touch(id, at, unlessSince);
  }),
  'touch writes a whole key as it read it': patches((store, patch) => ({
    touch: async (id, at, unlessSince) => {
      const was = await store.find(id);
      await turns(2);
      await store.touch(id, at, unlessSince);
      const is = await store.find(id);
      if (was !== undefined && is?.revokedAt !== was.revokedAt) patch(id, { revokedAt: was.revokedAt });
    },
  })),
  'a curt fault of touch': isCurtIn('touch'),
};
