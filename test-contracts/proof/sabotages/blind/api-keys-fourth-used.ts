import type { ApiKey, ApiKeyId, ApiKeyStore, Instant } from '@pinfold/core';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { rewriting } from './api-keys-fourth-rows.ts';

const { asks, coversUp, does, isCurtIn } = waysOf<ApiKeyStore>();

const EVER = Number.MIN_SAFE_INTEGER as Instant;

/** A key that is revoked is written over. */
const revokes = (fields: (key: ApiKey, at: Instant) => Partial<ApiKey>) =>
  rewriting((store, rewrite) => ({
    revoke: async (id, at, events) => {
      const key = await store.find(id);
      if (key !== undefined) rewrite(id, fields(key, at));
      return store.revoke(id, at, events);
    },
  }));

/** Use is noted where this says so of a key. */
const notes = (isTo: (key: ApiKey, at: Instant, unlessSince: Instant) => boolean) =>
  does('touch', async (store, id, at, unlessSince) => {
    const key = await store.find(id);
    if (key !== undefined && isTo(key, at, unlessSince)) await store.touch(id, at, unlessSince);
  });

const revoked: Sabotages<ApiKeyStore> = {
  'a key that is revoked again is so from the earlier instant on': revokes(({ revokedAt }, at) =>
    revokedAt === null ? {} : { revokedAt: Math.min(revokedAt, at) as Instant },
  ),
  'a key is not revoked before it was created': revokes(({ createdAt, revokedAt }, at) => ({
    revokedAt: revokedAt ?? (Math.max(at, createdAt) as Instant),
  })),
  'a revoked key was never used': rewriting((store, rewrite) => ({
    revoke: async (id, at, events) => {
      rewrite(id, { lastUsedAt: null });
      return store.revoke(id, at, events);
    },
  })),
  'an unknown id that was revoked is taken': () => {
    const taken = new Set<ApiKeyId>();
    return (store) => ({
      revoke: async (id, at, events) => {
        const answer = await store.revoke(id, at, events);
        if (answer.kind === 'unknown') taken.add(id);
        return answer;
      },
      create: async (key, ...rest) => (taken.has(key.id) ? { kind: 'exists' } : store.create(key, ...rest)),
    });
  },
  'keys whose ids differ in their letters alone are revoked together': does(
    'revoke',
    async (store, id, at, events) => {
      for (const key of await store.list(undefined)) {
        if (key.id !== id && key.id.toLowerCase() === id.toLowerCase()) await store.revoke(key.id, at, []);
      }
      return store.revoke(id, at, events);
    },
  ),
  'use is written with the whole row, as it was before': rewriting((store, rewrite) => ({
    touch: async (id, at, unlessSince) => {
      const was = await store.find(id);
      await turns(1);
      await store.touch(id, at, unlessSince);
      if (was?.revokedAt === null) rewrite(id, { revokedAt: null });
    },
    revoke: async (id, at, events) => {
      const was = await store.find(id);
      const answer = await store.revoke(id, at, events);
      if (answer.kind === 'revoked') rewrite(id, { revokedAt: was?.revokedAt ?? at });
      return answer;
    },
  })),
  'what caused a fault of revoking is not said': isCurtIn('revoke'),
};

const used: Sabotages<ApiKeyStore> = {
  'use is not noted again at the very instant': notes(
    ({ lastUsedAt }, _, unlessSince) => lastUsedAt === null || lastUsedAt < unlessSince,
  ),
  'use is noted where it lies before what was noted': rewriting((store, rewrite) => ({
    touch: async (id, at, unlessSince) => {
      const key = await store.find(id);
      if (key !== undefined && (key.lastUsedAt ?? EVER) <= unlessSince) rewrite(id, { lastUsedAt: at });
      else await store.touch(id, at, unlessSince);
    },
  })),
  'the first use is not noted until the instant has passed the creation': notes(
    ({ lastUsedAt, createdAt }, _, unlessSince) => (lastUsedAt ?? createdAt) <= unlessSince,
  ),
  'use is noted only while a key is not revoked': notes(({ revokedAt }) => revokedAt === null),
  'use is noted of all keys of an account': does('touch', async (store, id, at, unlessSince) => {
    const key = await store.find(id);
    for (const { id: own } of key === undefined ? [] : await store.list(key.account)) {
      await store.touch(own, at, unlessSince);
    }
    await store.touch(id, at, unlessSince);
  }),
  'a handle remembers one instant of use for all keys': () => (store) => {
    let last = EVER;
    return {
      touch: async (id, at, unlessSince) => {
        if (last > unlessSince) return;
        await store.touch(id, at, unlessSince);
        last = at;
      },
    };
  },
  'a handle keeps a use until the next': () => (store) => {
    let kept: Parameters<ApiKeyStore['touch']> | undefined;
    return {
      touch: async (...use) => {
        const before = kept;
        kept = use;
        if (before === undefined) await store.list(undefined);
        else await store.touch(...before);
      },
    };
  },
  'use is noted in whole seconds': asks('touch', (id, at, unlessSince) => [
    id,
    Math.floor(at / 1_000) * 1_000,
    unlessSince,
  ]),
  'faults of noting a use are covered up': coversUp('touch', undefined),
};

export const fourthApiKeysUsed: Sabotages<ApiKeyStore> = { ...revoked, ...used };
