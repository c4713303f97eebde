import { setImmediate as nextTurn } from 'node:timers/promises';
import { instant, type PairingStore } from '@pinfold/core';
import { pairingStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { derived, type PortShape } from './derive.ts';
import type { Mutant, MutantTable } from './mutant.ts';
import { overMemory } from './over-memory.ts';
import { PAIRING } from './records.ts';

const { sound, mutant, harness } = overMemory<PairingStore>(({ pairings }) => pairings);

const shape: PortShape<PairingStore> = {
  suite: 'pairing-store',
  code: 'store_unavailable',
  methods: {
    agree: {
      takes: { pairing: PAIRING },
      answers: { kind: 'choice' },
      early: { value: { kind: 'agreed' } },
      caught: {
        unreachable: '*',
        'agree-once': 'answers.kind.stuck shares',
        'take-ended': 'hurries idles takes.pairing.account.{lost,raised}',
        agree: [
          'repeats takes.pairing.account takes.pairing.actor.kind.stuck',
          'takes.pairing.label.{cut,latin,quoted}',
        ],
        'take-once': 'takes.pairing',
        purge: 'takes.pairing.endsAt',
        untested: [
          'caches takes.pairing.account.{composed,cut,numeric,terminated}',
          'takes.pairing.label.{composed,numeric,terminated,trimmed} takes.pairing.scopes.list-capped',
        ],
      },
    },
    find: {
      takes: { secretHash: 'hash', now: 'instant' },
      answers: PAIRING,
      early: { value: undefined },
      caught: {
        unreachable: '*',
        find: 'answers answers.account.{lost,raised} answers.label.{lost,lowered,raised} takes.now',
        agree: [
          'answers.{account,label} answers.actor.id.stuck answers.actor.kind.stuck answers.endsAt.stuck',
          'answers.secretHash.{nearly,stuck}',
        ],
        purge: 'hurries idles takes.secretHash',
        untested: [
          'answers.account.{composed,cut,numeric,terminated}',
          'answers.label.{composed,numeric,terminated,trimmed} answers.scopes.list-capped caches repeats',
          'shares',
        ],
      },
    },
    take: {
      takes: { secretHash: 'hash', now: 'instant' },
      answers: PAIRING,
      early: { value: undefined },
      caught: {
        'take-once': '* answers.label.stuck',
        'take-ended': [
          'answers.account.{lost,raised} answers.endsAt.seconds answers.label.{lost,lowered,raised}',
          'takes.now',
        ],
        unreachable: 'coversUp isCurt isRaw misnames',
        untested: [
          'answers.{account,label} answers.actor.kind.stuck answers.endsAt.stuck',
          'answers.scopes.list-capped caches',
        ],
      },
    },
    purge: {
      takes: { endedBy: 'instant', limit: 'count' },
      answers: 'count',
      early: { value: 0 },
      caught: {
        purge: '*',
        unreachable: 'coversUp isCurt isRaw misnames',
        untested: 'answers.capped shares takes.endedBy.seconds takes.limit.capped',
      },
    },
  },
  confusions: { find: 'secretHash', 'take-ended': 'secretHash.nearly', untested: '*' },
};

const stories: readonly Mutant<StoreSubject<PairingStore>>[] = [
  mutant('pairing-store/agree-once', 'a second pairing replaces the first', () => (store) => ({
    agree: async (pairing) => {
      await store.take(pairing.secretHash, instant(0));
      return await store.agree(pairing);
    },
  })),

  mutant('pairing-store/take-once', 'taking looks first and removes later', () => (store) => ({
    take: async (secretHash, now) => {
      const pairing = await store.find(secretHash, now);
      await nextTurn();
      await store.take(secretHash, now);
      return pairing;
    },
  })),

  mutant('pairing-store/purge', 'the limit is applied twice', () => (store) => ({
    purge: async (endedBy, limit) =>
      (await store.purge(endedBy, limit)) + (await store.purge(endedBy, limit)),
  })),
];

export const pairingStoreTable: MutantTable<PairingStore, StoreSubject<PairingStore>> = {
  contract: pairingStoreContract,
  sound,
  mutants: [...harness(shape.suite), ...derived(shape, mutant), ...stories],
};
