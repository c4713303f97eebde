import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiKeyStore } from '@pinfold/core';
import { refuseKey } from '@pinfold/core/adapter';
import { apiKeyStoreContract, checkApiKeyStoreSequences, type StoreSubject } from '@pinfold/test-contracts';
import { everyKeyOf } from '@pinfold/test-contracts/fixtures';
import { derived } from './derive.ts';
import type { Mutant } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';

const { mutant, table } = overMemory<ApiKeyStore>(({ apiKeys }) => apiKeys);

const clauses = {
  create: 'unreachable touch revoke create-limit first create create-exists list-many',
  createFirst: 'unreachable first',
  find: 'revoke first find-absent touch create-ensured create create-exists lets-go find-aborted',
  list: 'unreachable touch first revoke same-question purge list list-pages',
  revoke: 'unreachable revoke',
  touch: 'unreachable revoke touch',
  countLive: 'unreachable count-live same-question',
  purge: 'unreachable purge same-question',
};

const stories: readonly Mutant<StoreSubject<ApiKeyStore>>[] = [
  mutant('first', 'creating the first looks first and writes later', () => (store) => ({
    createFirst: async (key, events) => {
      const keys = await store.list(everyKeyOf());
      await nextTurn();
      const created = keys.length === 0 && (await store.create(key, events)).kind === 'created';
      return { kind: created ? 'created' : 'exists' };
    },
  })),
  mutant('sequences', 'use at the instant of creation is not recorded', () => (store) => ({
    touch: async (id, at, unlessSince) => {
      const created = (await store.find(id))?.createdAt;
      if (at !== created) await store.touch(id, at, unlessSince);
    },
  })),
  mutant('create-limit', 'creating counts first and writes later', () => (store) => ({
    create: async (key, events, authority, limit = null) => {
      const live = await store.countLive(key.account);
      await nextTurn();
      const outcome = authority === 'operator' ? undefined : refuseKey(live, limit);
      const isTaken = (await store.find(key.id)) !== undefined;
      return (isTaken ? undefined : outcome) ?? (await store.create(key, events, authority));
    },
  })),
];

export const apiKeyStoreTable: StoreTable<ApiKeyStore> = table(
  apiKeyStoreContract,
  derived(mutant, clauses),
  stories,
  {
    sequences: { check: checkApiKeyStoreSequences, runs: 600 },
  },
);
