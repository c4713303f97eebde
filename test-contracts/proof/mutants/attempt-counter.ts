import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AttemptCounter, AttemptOutcome } from '@pinfold/core';
import { attemptCounterContract, type StoreSubject } from '@pinfold/test-contracts';
import { derived, type PortShape } from './derive.ts';
import type { Mutant, Spoiling } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';

const { mutant, table } = overMemory<AttemptCounter>(({ attempts }) => attempts);

const shape: PortShape<AttemptCounter> = {
  methods: {
    begin: {
      early: { value: { kind: 'busy' } },
      clauses: [
        'unreachable unsettled count-ended busy race per-address window per-role both-or-neither',
        'addresses hundreds lets-go',
      ],
      tested: 'repeats',
    },
    settle: { clauses: 'unreachable busy addresses', untested: 'caches shares' },
    forgive: { clauses: 'unreachable busy forgive settle', untested: 'caches' },
    purge: { early: { value: 0 }, clauses: 'unreachable purge purge-many', tested: 'repeats' },
    countEnded: {
      early: { value: 0 },
      clauses: 'unreachable count-ended forgiven-window purge-many',
    },
  },
};

const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** All tries of one turn of the event loop see the counts of the first one. */
const readingFirst: Spoiling<AttemptCounter> = () => {
  let first: Promise<AttemptOutcome> | undefined;
  return (store) => ({
    begin: async (attempt) => {
      const seen = first;
      first ??= store.begin(attempt);
      const outcome = await first;
      await nextTurn();
      first = undefined;
      if (seen === undefined || outcome.kind !== 'admitted') return outcome;
      return await store.begin({ ...attempt, perAddress: UNLIMITED, perRole: UNLIMITED });
    },
  });
};

const stories: readonly Mutant<StoreSubject<AttemptCounter>>[] = [
  mutant('forgiven-window', 'the records of forgiven tries stay', () => {
    let forgiven = 0;
    return (store) => ({
      forgive: async (ticket) => {
        forgiven += 1;
        await store.forgive(ticket);
      },
      countEnded: async (endedBy) => (await store.countEnded(endedBy)) + forgiven,
    });
  }),
  mutant('race', 'counting looks first and writes later', readingFirst),
];

export const attemptCounterTable: StoreTable<AttemptCounter> = table(attemptCounterContract, [
  ...derived(shape, mutant),
  ...stories,
]);
