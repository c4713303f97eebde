import type { ApiKeyStore, Instant } from '@pinfold/core';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { behind } from './api-keys-kept.ts';

const { does, asks, hurries, coversUp, misnames } = waysOf<ApiKeyStore>();

const UNKNOWN = { kind: 'unknown' } as const;
const MINUTE = 60_000;

/** Ways to be wrong in revoking keys and noting their use, written from the sentences of the port alone. */
export const usedApiKeySabotages: Sabotages<ApiKeyStore> = {
  'revoking again moves the instant on': behind((store, kept) => ({
    revoke: async (id, at, events) => {
      const answer = await store.revoke(id, at, events);
      if (answer.kind === 'revoked') kept.set(id, { revokedAt: at });
      return answer;
    },
  })),
  'revoking again with an earlier instant moves it back': behind((store, kept) => ({
    revoke: async (id, at, events) => {
      const answer = await store.revoke(id, at, events);
      const earliest = Math.min(at, kept.get(id)?.revokedAt ?? at) as Instant;
      if (answer.kind === 'revoked') kept.set(id, { revokedAt: earliest });
      return answer;
    },
  })),
  'revoking what is revoked is unknown': does('revoke', async (store, id, ...rest) => {
    const key = await store.find(id);
    const answer = await store.revoke(id, ...rest);
    return key === undefined || key.revokedAt !== null ? UNKNOWN : answer;
  }),
  'a key is revoked from its creation on at the earliest': does('revoke', async (store, id, at, events) => {
    const key = await store.find(id);
    return store.revoke(id, Math.max(at, key?.createdAt ?? at) as Instant, events);
  }),
  'a key is revoked from its last use on at the earliest': does('revoke', async (store, id, at, events) => {
    const key = await store.find(id);
    return store.revoke(id, Math.max(at, key?.lastUsedAt ?? at) as Instant, events);
  }),
  'revoking forgets when a key was used': behind((store, kept) => ({
    revoke: async (id, ...rest) => {
      kept.set(id, { lastUsedAt: null });
      return store.revoke(id, ...rest);
    },
  })),
  'revoking one key revokes those of the same secret': does('revoke', async (store, id, at, events) => {
    const key = await store.find(id);
    const alike = (await store.list(undefined)).filter((other) => other.secretHash === key?.secretHash);
    for (const other of alike) await store.revoke(other.id, at, []);
    return store.revoke(id, at, events);
  }),
  'revoking lets what was noted meanwhile be forgotten': behind((store, kept) => ({
    revoke: async (id, ...rest) => {
      const key = await store.find(id);
      await turns(3);
      if (key !== undefined) kept.set(id, { lastUsedAt: key.lastUsedAt });
      return store.revoke(id, ...rest);
    },
  })),
  'revoking tells a fault of the database as a broken one': misnames('revoke', 'store_corrupt'),
  'use at the very instant keeps the next from being noted': asks('touch', (id, at, unlessSince) => [
    id,
    at,
    unlessSince - 1,
  ]),
  'a key that was never used counts as used when it was created': does(
    'touch',
    async (store, id, at, unlessSince) => {
      const key = await store.find(id);
      if (key !== undefined && (key.lastUsedAt ?? key.createdAt) <= unlessSince) {
        await store.touch(id, at, unlessSince);
      }
    },
  ),
  'use is not noted where it is not after the instant itself': does(
    'touch',
    async (store, id, at, unlessSince) => {
      if (at > unlessSince) await store.touch(id, at, unlessSince);
    },
  ),
  'use of a revoked key is not noted': does('touch', async (store, id, ...rest) => {
    const key = await store.find(id);
    if (key?.revokedAt === null) await store.touch(id, ...rest);
  }),
  'use of another key keeps it from being noted': () => (store) => {
    let noted = Number.NEGATIVE_INFINITY;
    return {
      touch: async (id, at, unlessSince) => {
        if (noted > unlessSince) return;
        noted = at;
        await store.touch(id, at, unlessSince);
      },
    };
  },
  'use is noted by the minute': asks('touch', (id, at, unlessSince) => [
    id,
    Math.floor(at / MINUTE) * MINUTE,
    unlessSince,
  ]),
  'earlier use is noted once the instant has passed': behind((store, kept) => ({
    touch: async (id, at, unlessSince) => {
      const key = await store.find(id);
      const last = kept.get(id)?.lastUsedAt ?? key?.lastUsedAt ?? Number.NEGATIVE_INFINITY;
      if (last <= unlessSince) kept.set(id, { lastUsedAt: at });
    },
  })),
  'use is noted a little after that was answered': hurries('touch', undefined),
  'use that could not be noted is passed over': coversUp('touch', undefined),
  'use of a key that is gone is a broken database': does('touch', async (store, id, ...rest) => {
    if ((await store.find(id)) === undefined) throw new Error(`no row for ${id}`);
    await store.touch(id, ...rest);
  }),
  'noting use undoes a revocation of the same moment': behind((store, kept) => ({
    touch: async (id, ...rest) => {
      const key = await store.find(id);
      await turns(3);
      await store.touch(id, ...rest);
      if (key?.revokedAt === null) kept.set(id, { revokedAt: null });
    },
    revoke: async (id, ...rest) => {
      kept.delete(id);
      return store.revoke(id, ...rest);
    },
  })),
  'who is unlucky notes an earlier use over a later one': behind((store, kept) => ({
    touch: async (id, at, unlessSince) => {
      const key = await store.find(id);
      await turns(1);
      const last = key?.lastUsedAt ?? Number.NEGATIVE_INFINITY;
      await store.touch(id, at, unlessSince);
      if (last <= unlessSince && last < at) kept.set(id, { lastUsedAt: at });
      else kept.delete(id);
    },
  })),
};
