import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiKeyStore } from '@pinfold/core';
import { checkKeyLimit } from '@pinfold/core/adapter';
import { apiKeyStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { everyKeyOf } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape } from './derive.ts';
import type { Mutant } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';

const { mutant, table } = overMemory<ApiKeyStore>(({ apiKeys }) => apiKeys);

const shape: PortShape<ApiKeyStore> = {
  methods: {
    create: {
      early: { value: { kind: 'created' } },
      clauses: 'unreachable touch revoke create-limit first create create-exists list-many',
      tested: 'repeats',
    },
    createFirst: {
      early: { value: { kind: 'created' } },
      clauses: 'unreachable first',
      untested: 'caches',
      tested: 'repeats',
    },
    find: {
      takes: { signal: 'signal' },
      clauses: 'revoke first find-absent touch create-ensured create create-exists lets-go find-aborted',
    },
    list: {
      early: { value: [] },
      clauses: 'unreachable touch first revoke same-question purge list list-pages list-many',
    },
    revoke: {
      early: { value: { kind: 'revoked' } },
      clauses: 'unreachable revoke',
      untested: 'shares',
    },
    touch: { clauses: 'unreachable revoke touch', untested: 'caches' },
    countLive: { early: { value: 0 }, clauses: 'unreachable count-live same-question' },
    purge: {
      early: { value: 0 },
      clauses: 'unreachable purge same-question',
      untested: 'shares',
      tested: 'repeats',
    },
  },
};

const stories: readonly Mutant<StoreSubject<ApiKeyStore>>[] = [
  mutant('find-absent', 'a part of an id is enough to find a key', () => (store) => ({
    find: async (id, signal) => {
      const found = await store.find(id, signal);
      return found ?? (await store.list(everyKeyOf())).find((key) => key.id.startsWith(id));
    },
  })),
  mutant('first', 'creating the first looks first and writes later', () => (store) => ({
    createFirst: async (key, events) => {
      const keys = await store.list(everyKeyOf());
      await nextTurn();
      const created = keys.length === 0 && (await store.create(key, events)).kind === 'created';
      return { kind: created ? 'created' : 'exists' };
    },
  })),

  mutant('create-limit', 'creating counts first and writes later', () => (store) => ({
    create: async (key, events, authority, limit = null) => {
      const live = await store.countLive(key.account);
      await nextTurn();
      const outcome = authority === 'operator' ? undefined : checkKeyLimit(live, limit);
      const isTaken = (await store.find(key.id)) !== undefined;
      return (isTaken ? undefined : outcome) ?? (await store.create(key, events, authority));
    },
  })),
];

export const apiKeyStoreTable: StoreTable<ApiKeyStore> = table(apiKeyStoreContract, [
  ...derived(shape, mutant),
  ...stories,
]);
