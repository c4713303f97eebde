import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiKeyQuery, ApiKeyStore } from '@pinfold/core';
import { checkKeyLimit } from '@pinfold/core/adapter';
import { apiKeyStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { everyKeyOf } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape } from './derive.ts';
import type { Fields } from './distortions.ts';
import type { Mutant } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';
import { API_KEY, EVENTS } from './records.ts';

const { mutant, table } = overMemory<ApiKeyStore>(({ apiKeys }) => apiKeys);

const QUERY: Fields<ApiKeyQuery> = {
  account: 'text',
  after: { createdAt: 'instant', id: 'id' },
  limit: 'count',
};

const shape: PortShape<ApiKeyStore> = {
  methods: {
    create: {
      takes: { key: API_KEY, events: EVENTS, authority: 'choice', limit: 'count' },
      answers: { kind: 'choice' },
      early: { value: { kind: 'created' } },
      clauses: 'unreachable touch revoke create-limit first create create-exists list-many',
      untested: 'takes.events',
      tested: 'repeats',
    },
    createFirst: {
      takes: { key: API_KEY, events: EVENTS },
      answers: { kind: 'choice' },
      early: { value: { kind: 'created' } },
      clauses: 'unreachable first',
      untested: [
        'caches takes.events takes.key.account.{numeric,quoted,stuck,trimmed}',
        'takes.key.createdAt.stuck takes.key.id.stuck takes.key.label.{numeric,stuck}',
        'takes.key.lastUsedAt.stuck takes.key.revokedAt.{stuck,wrapped} takes.key.secretHash.stuck',
      ],
      tested: 'repeats',
    },
    find: {
      takes: { id: 'id', signal: 'signal' },
      answers: API_KEY,
      clauses: 'revoke first find-absent touch create-ensured create create-exists lets-go find-aborted',
    },
    list: {
      takes: { query: QUERY },
      answers: [API_KEY],
      clauses: 'unreachable touch first revoke same-question purge list list-pages list-many',
      untested: 'answers.label.{composed,latin,quoted} takes.query.after.id.ended',
      tested: 'answers.list-capped takes.query.limit.capped',
    },
    revoke: {
      takes: { id: 'id', at: 'instant', events: EVENTS },
      answers: { kind: 'choice' },
      early: { value: { kind: 'revoked' } },
      clauses: 'unreachable revoke',
      untested: 'shares takes.events',
    },
    touch: {
      takes: { id: 'id', at: 'instant', unlessSince: 'instant' },
      clauses: 'unreachable revoke touch',
      untested: 'caches',
    },
    countLive: {
      takes: { account: 'text' },
      answers: 'count',
      clauses: 'unreachable count-live same-question',
    },
    purge: {
      takes: { revokedBefore: 'instant', limit: 'count' },
      answers: 'count',
      clauses: 'unreachable purge same-question',
      untested: 'shares',
      tested: 'repeats',
    },
  },
  confusions: {
    clauses: 'revoke create create-exists',
    untested: 'account.quoted label.quoted secretHash.raised',
  },
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
