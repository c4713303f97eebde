import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Attempt, AttemptCounter, AttemptOutcome } from '@pinfold/core';
import { attemptCounterContract, type StoreSubject } from '@pinfold/test-contracts';
import { derived, type PortShape } from './derive.ts';
import type { Fields } from './distortions.ts';
import type { Mutant, Spoiling } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';

const { mutant, table } = overMemory<AttemptCounter>(({ attempts }) => attempts);

const ATTEMPT: Fields<Attempt> = {
  role: 'uuid',
  address: 'text',
  now: 'instant',
  window: 'count',
  perAddress: 'count',
  perRole: 'count',
};

const shape: PortShape<AttemptCounter> = {
  methods: {
    begin: {
      takes: { attempt: ATTEMPT },
      answers: { kind: 'choice', ticket: 'id', until: 'instant' },
      early: { value: { kind: 'busy' } },
      clauses: [
        'unreachable unsettled count-ended busy race per-address window per-role both-or-neither',
        'addresses hundreds lets-go',
      ],
      untested: 'answers.ticket.lowered takes.attempt.address.quoted',
      tested: [
        'repeats takes.attempt.address.terminated takes.attempt.perAddress.capped',
        'takes.attempt.perRole.capped takes.attempt.window.capped',
      ],
    },
    settle: {
      takes: { ticket: 'id' },
      clauses: 'unreachable busy addresses',
      untested: 'caches shares takes.ticket.lowered',
    },
    forgive: {
      takes: { ticket: 'id' },
      clauses: 'unreachable busy forgive settle',
      untested: 'caches takes.ticket.lowered',
    },
    purge: {
      takes: { endedBy: 'instant', limit: 'count' },
      answers: 'count',
      clauses: 'unreachable purge purge-many',
      tested: 'answers.capped repeats takes.limit.capped',
    },
    countEnded: {
      takes: { endedBy: 'instant' },
      answers: 'count',
      clauses: 'unreachable count-ended forgiven-window purge-many',
      tested: 'answers.capped',
    },
  },
  confusions: {
    clauses: 'per-address busy addresses',
    untested: 'address.quoted ticket',
    tested: 'address.terminated',
  },
};

const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** All tries of one turn of the event loop see the counts as the first one did. */
const lookingFirst: Spoiling<AttemptCounter> = () => {
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
  mutant('race', 'counting looks first and writes later', lookingFirst),
];

export const attemptCounterTable: StoreTable<AttemptCounter> = table(attemptCounterContract, [
  ...derived(shape, mutant),
  ...stories,
]);
