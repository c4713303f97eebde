import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiKey, ApiKeyId, ApiKeyStore } from '@pinfold/core';
import { KNOWN_SCOPES, refuseKey } from '@pinfold/core/adapter';
import { apiKeyStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { ACCOUNT, everyKeyOf } from '@pinfold/test-contracts/fixtures';
import { memorySaboteurs, oneForAll, strangers } from './memory-saboteurs.ts';
import { clausesBut, type Sabotage, type Saboteur } from './sabotage.ts';

const { opening, sound, saboteur } = memorySaboteurs<ApiKeyStore>(({ apiKeys }) => apiKeys);

const saboteurs: readonly Saboteur<StoreSubject<ApiKeyStore>>[] = [
  {
    breaks: 'api-key-store/harness-apart',
    how: 'all subjects are over the same data',
    open: opening(oneForAll),
    alsoFails: [
      'api-key-store/create',
      'api-key-store/create-exists',
      'api-key-store/first',
      'api-key-store/list',
      'api-key-store/purge',
    ],
  },
  {
    breaks: 'api-key-store/harness-peer',
    how: 'a peer opens data of its own',
    open: opening(strangers),
    alsoFails: clausesBut(apiKeyStoreContract, [
      'api-key-store/harness-apart',
      'api-key-store/find-absent',
      'api-key-store/find-aborted',
      'api-key-store/lets-go',
      'api-key-store/unreachable',
    ]),
  },
  saboteur('api-key-store/create', 'a key without scopes is taken for one with all', () => (store) => ({
    create: (key, events, ...more) =>
      store.create({ ...key, scopes: key.scopes.length === 0 ? KNOWN_SCOPES : key.scopes }, events, ...more),
  })),
  saboteur(
    'api-key-store/create-exists',
    'creating writes over what is there',
    () => {
      const written = new Map<ApiKeyId, ApiKey>();
      return (store) => ({
        create: async (key, events, ...more) => {
          const outcome = await store.create(key, events, ...more);
          if (outcome.kind === 'exists') written.set(key.id, key);
          return outcome;
        },
        find: async (id, signal) => written.get(id) ?? (await store.find(id, signal)),
      });
    },
    ['api-key-store/create-ensured'],
  ),
  saboteur('api-key-store/first', 'creating the first looks first and writes later', () => (store) => ({
    createFirst: async (key, events) => {
      const keys = await store.list(everyKeyOf());
      await nextTurn();
      const created = keys.length === 0 && (await store.create(key, events)).kind === 'created';
      return { kind: created ? 'created' : 'exists' };
    },
  })),
  saboteur(
    'api-key-store/find-absent',
    'ids are looked up without case',
    () => (store) => ({
      find: async (id, signal) => {
        const found = await store.find(id, signal);
        const same = (key: ApiKey): boolean => key.id.toLowerCase() === id.toLowerCase();
        return found ?? (await store.list(everyKeyOf())).find(same);
      },
    }),
    ['api-key-store/create-exists'],
  ),
  saboteur('api-key-store/list', "ids are ordered by a language's rules", () => (store) => ({
    list: async (query) => {
      const keys = await store.list(query);
      return keys.toSorted((one, two) => two.createdAt - one.createdAt || two.id.localeCompare(one.id, 'en'));
    },
  })),
  saboteur('api-key-store/list-pages', 'a page begins after the instant of the last key', () => (store) => ({
    list: ({ after, ...query }) => store.list({ ...query, after: after && { ...after, id: '' as ApiKeyId } }),
  })),
  saboteur('api-key-store/count-live', 'revoked keys count', () => (store) => ({
    countLive: async (account) => (await store.list(everyKeyOf(account))).length,
  })),
  saboteur('api-key-store/create-ensured', 'only a new key is ensured', () => (store) => ({
    create: async (key, events, ...more) =>
      (await store.find(key.id)) === undefined
        ? await store.create(key, events, ...more)
        : await store.create({ ...key, isEnsured: false }, events, ...more),
  })),
  saboteur('api-key-store/create-limit', 'creating counts first and writes later', () => (store) => ({
    create: async (key, events, authority, limit = null) => {
      const live = await store.countLive(key.account);
      await nextTurn();
      const outcome = authority === 'operator' ? undefined : refuseKey(live, limit);
      const isTaken = (await store.find(key.id)) !== undefined;
      return (isTaken ? undefined : outcome) ?? (await store.create(key, events, authority));
    },
  })),
  saboteur('api-key-store/purge', 'ensured keys are counted as gone', () => (store) => ({
    purge: async (revokedBefore, limit) => {
      const gone = await store.purge(revokedBefore, limit);
      const keys = await store.list(everyKeyOf());
      const ensured = keys.filter(({ revokedAt, isEnsured }) => isEnsured && revokedAt !== null);
      return gone + ensured.filter(({ revokedAt }) => (revokedAt ?? 0) < revokedBefore).length;
    },
  })),
  saboteur(
    'api-key-store/revoke',
    'each handle keeps what it found first',
    () => (store) => {
      const found = new Map<ApiKeyId, ApiKey>();
      return {
        find: async (id, signal) => {
          const key = found.get(id) ?? (await store.find(id, signal));
          if (key !== undefined) found.set(id, key);
          return key;
        },
      };
    },
    ['api-key-store/touch', 'api-key-store/same-question', 'api-key-store/find-aborted'],
  ),
  saboteur('api-key-store/touch', 'use is noted each time', () => (store) => ({
    touch: (id, at) => store.touch(id, at, at),
  })),
  saboteur('api-key-store/list-many', 'no more than 1,000 are listed', () => (store) => ({
    list: (query) => store.list({ ...query, limit: Math.min(query.limit, 1_000) }),
  })),
  saboteur('api-key-store/same-question', 'each handle keeps the list of an account', () => (store) => {
    const lists = new Map<string, readonly ApiKey[]>();
    return {
      list: async (query) => {
        const { account } = query;
        if (account !== ACCOUNT || query.after !== undefined || query.limit < 1_000)
          return await store.list(query);
        const listed = lists.get(account) ?? (await store.list(query));
        lists.set(account, listed);
        return listed.slice(0, query.limit);
      },
    };
  }),
  saboteur('api-key-store/find-aborted', 'the signal is not looked at', () => (store) => ({
    find: (id) => store.find(id),
  })),
  saboteur(
    'api-key-store/lets-go',
    'a search goes on listening to its signal',
    () => (store) => ({
      find: (id, signal) => {
        signal?.addEventListener('abort', () => undefined);
        return store.find(id, signal);
      },
    }),
    ['api-key-store/find-aborted'],
  ),
  saboteur('api-key-store/unreachable', 'what cannot be noted is forgotten', () => (store) => ({
    touch: (id, at, unlessSince) => store.touch(id, at, unlessSince).catch(() => undefined),
  })),
];

export const apiKeyStoreSabotage: Sabotage<ApiKeyStore, StoreSubject<ApiKeyStore>> = {
  contract: apiKeyStoreContract,
  sound,
  saboteurs,
};
