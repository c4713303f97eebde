import type { ApiKey, ApiKeyId, ApiKeyStore, Instant, Sha256 } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, turns, waysOf } from '../ways.ts';

const { does, asks, hurries } = waysOf<ApiKeyStore>();

export const CREATED = { kind: 'created' } as const;
export const EXISTS = { kind: 'exists' } as const;

/** What is kept of keys behind the back of the sound store, by all of its handles. */
export type Behind = Map<string, Partial<ApiKey>>;

/** Keys are seen with what is kept of them behind the sound store's back. */
export function behind(
  methods: (store: ApiKeyStore, kept: Behind) => Partial<ApiKeyStore>,
): Spoiling<ApiKeyStore> {
  return () => {
    const kept: Behind = new Map();
    return (store) => {
      const seen = (key: ApiKey): ApiKey => ({ ...key, ...kept.get(key.id) });
      return {
        find: async (id, signal) => {
          const key = await store.find(id, signal);
          return key && seen(key);
        },
        list: async (account) => (await store.list(account)).map(seen),
        ...methods(store, kept),
      };
    };
  };
}

/** Another key is created than was given. */
const keeping = (change: (key: ApiKey) => Partial<ApiKey>): Spoiling<ApiKeyStore> =>
  asks('create', (key, ...rest) => [{ ...key, ...change(key) }, ...rest]);

/** The first key is kept otherwise than it was given. */
const keepingFirst = (change: (key: ApiKey) => Partial<ApiKey>): Spoiling<ApiKeyStore> =>
  asks('createFirst', (key, ...rest) => [{ ...key, ...change(key) }, ...rest]);

/** A key is taken for one that exists, where another is like it. */
const existsWhere = (alike: (key: ApiKey, other: ApiKey) => boolean): Spoiling<ApiKeyStore> =>
  does('create', async (store, key, ...rest) =>
    (await store.list(undefined)).some((other) => alike(key, other)) ? EXISTS : store.create(key, ...rest),
  );

/** Ids are what is kept of them, wherever one comes in. */
const idsAre =
  (kept: (id: string) => string): Spoiling<ApiKeyStore> =>
  () => {
    const given = new Map<string, ApiKeyId>();
    const known = (id: ApiKeyId): ApiKeyId => given.get(kept(id)) ?? id;
    return (store) => ({
      create: async (key, ...rest) => {
        const answer = await store.create({ ...key, id: known(key.id) }, ...rest);
        if (answer.kind === 'created') given.set(kept(key.id), key.id);
        return answer;
      },
      find: (id, ...rest) => store.find(known(id), ...rest),
      revoke: (id, ...rest) => store.revoke(known(id), ...rest),
      touch: (id, ...rest) => store.touch(known(id), ...rest),
    });
  };

const SECOND = 1_000;

/** Ways to be wrong in keeping a key, written from the sentences of the port alone. */
export const keptApiKeySabotages: Sabotages<ApiKeyStore> = {
  'a label is cut to 64 characters': keeping(({ label }) => ({ label: label.slice(0, 64) })),
  'a label loses the spaces around it': keeping(({ label }) => ({ label: label.trim() })),
  'a label is composed (NFC)': keeping(({ label }) => ({ label: label.normalize('NFC') })),
  'a label loses what needs four bytes': keeping(({ label }) => ({
    label: label.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
  })),
  'an empty label becomes the id': keeping(({ label, id }) => ({ label: label === '' ? id : label })),
  'scopes come back in alphabetical order': keeping(({ scopes }) => ({ scopes: [...scopes].sort() })),
  'scopes are kept as bits, of which admin has none': keeping(({ scopes }) => ({
    scopes: scopes.filter((scope) => scope !== 'admin'),
  })),
  'a key without scopes gets those of the default': keeping(({ scopes }) => ({
    scopes: scopes.length === 0 ? ['pins:read', 'pins:write'] : scopes,
  })),
  'a new key was never used, whatever it says': keeping(() => ({ lastUsedAt: null })),
  'a new key is never revoked, whatever it says': keeping(() => ({ revokedAt: null })),
  'the instant of creation is in whole seconds': keeping(({ createdAt }) => ({
    createdAt: (Math.floor(createdAt / SECOND) * SECOND) as Instant,
  })),
  'the instant of creation ends in 2038': keeping(({ createdAt }) => ({
    createdAt: Math.min(createdAt, (2 ** 31 - 1) * SECOND) as Instant,
  })),
  'the use at the very first instant is none': keeping(({ lastUsedAt }) => ({
    lastUsedAt: lastUsedAt || null,
  })),
  'the hash of a secret is cut to 32 digits': keeping(({ secretHash }) => ({
    secretHash: secretHash.slice(0, 32) as Sha256,
  })),
  'accounts are kept in lower case': keeping(({ account }) => ({
    account: account.toLowerCase() as ApiKey['account'],
  })),
  'accounts are cut to 64 characters': keeping(({ account }) => ({
    account: account.slice(0, 64) as ApiKey['account'],
  })),
  'the first key gets the scopes of an administrator': keepingFirst(() => ({ scopes: ['admin'] })),
  'the first key forgets when it was used': keepingFirst(() => ({ lastUsedAt: null })),
  'no two keys have a secret in common': existsWhere((key, other) => key.secretHash === other.secretHash),
  'no two keys of an account have a label in common': existsWhere(
    (key, other) => key.account === other.account && key.label === other.label,
  ),
  'an account has one key of an instant': existsWhere(
    (key, other) => key.account === other.account && key.createdAt === other.createdAt,
  ),
  'ids are taken in any letter case': existsWhere(
    (key, other) => key.id.toLowerCase() === other.id.toLowerCase(),
  ),
  'ids of digits are numbers': idsAre((id) => (/^\d+$/.test(id) ? String(Number(id)) : id)),
  'ids are told apart by 16 characters': idsAre((id) => id.slice(0, 16)),
  'a taken id gets the new label': behind((store, kept) => ({
    create: async (key, ...rest) => {
      const answer = await store.create(key, ...rest);
      if (answer.kind === 'exists') kept.set(key.id, { label: key.label });
      return answer;
    },
  })),
  'a taken id gets the new secret': behind((store, kept) => ({
    create: async (key, ...rest) => {
      const answer = await store.create(key, ...rest);
      if (answer.kind === 'exists') kept.set(key.id, { secretHash: key.secretHash });
      return answer;
    },
  })),
  'a revoked key makes room for a new one': behind((store, kept) => ({
    create: async (key, ...rest) => {
      const there = await store.find(key.id);
      if (there === undefined || there.revokedAt === null) return store.create(key, ...rest);
      kept.set(key.id, key);
      return CREATED;
    },
  })),
  'the same key again is created': does('create', async (store, key, ...rest) => {
    const answer = await store.create(key, ...rest);
    const there = await store.find(key.id);
    const isSame = there?.secretHash === key.secretHash;
    return answer.kind === 'exists' && isSame ? CREATED : answer;
  }),
  'of many at once all that saw nothing create': does('create', async (store, key, ...rest) => {
    const there = await store.find(key.id);
    await turns(2);
    const answer = await store.create(key, ...rest);
    return there === undefined && answer.kind === 'exists' ? CREATED : answer;
  }),
  'a key is created a little after that was answered': hurries('create', CREATED),
};
