import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Attempt,
  type AttemptCounter,
  type AttemptOutcome,
  type AttemptTicket,
  after,
  type Instant,
  minutes,
} from '@pinfold/core';
import { MAX_UNSETTLED } from '@pinfold/core/adapter';
import { createMemory } from '@pinfold/memory';
import {
  attemptCounterContract,
  checkAttemptCounterSequences,
  type StoreSubject,
} from '@pinfold/test-contracts';
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
        'addresses hundreds',
      ],
      untested: 'answers.ticket.lowered takes.attempt.address.quoted',
      tested: [
        'repeats takes.attempt.address.terminated takes.attempt.perAddress.capped',
        'takes.attempt.perRole.capped takes.attempt.window.capped',
      ],
    },
    settle: {
      takes: { ticket: 'id' },
      clauses: 'unreachable busy addresses sequences',
      untested: 'caches',
    },
    forgive: {
      takes: { ticket: 'id' },
      clauses: 'unreachable busy forgive settle sequences',
      untested: 'caches',
    },
    purge: {
      takes: { endedBy: 'instant', limit: 'count' },
      answers: 'count',
      clauses: 'unreachable purge purge-many sequences',
      tested: 'answers.capped repeats takes.limit.capped',
    },
    countEnded: {
      takes: { endedBy: 'instant' },
      answers: 'count',
      clauses: 'unreachable count-ended forgiven-window purge-many sequences',
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

/** Counts for the address, then for the role, in separate steps. */
const inTwoSteps: Spoiling<AttemptCounter> = () => {
  const roles = createMemory().attempts;
  const pairs = new Map<AttemptTicket, AttemptTicket>();
  return (store) => ({
    begin: async (attempt) => {
      const address = await store.begin({ ...attempt, perRole: UNLIMITED });
      if (address.kind !== 'admitted') return address;
      const role = await roles.begin({ ...attempt, perAddress: UNLIMITED });
      if (role.kind === 'admitted') pairs.set(address.ticket, role.ticket);
      return role.kind === 'admitted' ? address : role;
    },
    settle: async (ticket) => {
      await store.settle(ticket);
      const pair = pairs.get(ticket);
      if (pair !== undefined) await roles.settle(pair);
    },
    forgive: async (ticket) => {
      await store.forgive(ticket);
      const pair = pairs.get(ticket);
      if (pair !== undefined) await roles.forgive(pair);
    },
    purge: async (endedBy, limit) => {
      const count = await store.purge(endedBy, limit);
      return count + (await roles.purge(endedBy, limit - count));
    },
  });
};

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

/** The next try settles for good what was not settled in time. */
const losingLateOnes: Spoiling<AttemptCounter> = () => {
  const open = new Map<AttemptTicket, Instant>();
  return (store) => ({
    begin: async (attempt) => {
      for (const [ticket, begun] of open) {
        if (after(begun, MAX_UNSETTLED) <= attempt.now) await store.settle(ticket);
      }
      const outcome = await store.begin(attempt);
      if (outcome.kind === 'admitted') open.set(outcome.ticket, attempt.now);
      return outcome;
    },
  });
};

const stories: readonly Mutant<StoreSubject<AttemptCounter>>[] = [
  mutant('both-or-neither', 'each limit counts by itself', inTwoSteps),
  mutant('window', 'a limited try has to wait for a whole window', () => (store) => ({
    begin: async (attempt) => {
      const outcome = await store.begin(attempt);
      if (outcome.kind !== 'limited') return outcome;
      return { kind: 'limited', until: after(attempt.now, attempt.window) };
    },
  })),
  mutant('busy', 'tries under way limit others as wrong ones do', () => (store) => ({
    begin: async (attempt) => {
      const outcome = await store.begin(attempt);
      if (outcome.kind !== 'busy') return outcome;
      return { kind: 'limited', until: after(attempt.now, attempt.window) };
    },
  })),
  mutant('unsettled', 'a try that was late is wrong for good', losingLateOnes),
  mutant('race', 'counting looks first and writes later', lookingFirst),
  mutant('purge', 'windows go by their beginning', () => (store) => ({
    purge: (endedBy, limit) => store.purge(after(endedBy, minutes(5)), limit),
  })),
  mutant('count-ended', 'counting drops the counted windows', () => (store) => ({
    countEnded: (endedBy) => store.purge(endedBy, UNLIMITED),
  })),
  mutant('lets-go', 'tickets are counted and never dropped', () => {
    let tickets = 0;
    return (store) => ({
      begin: async (attempt) => {
        tickets += 1;
        return await store.begin(attempt);
      },
      countEnded: async (endedBy) => (await store.countEnded(endedBy)) + Math.floor(tickets / 100),
    });
  }),
];

export const attemptCounterTable: StoreTable<AttemptCounter> = table(
  attemptCounterContract,
  [...derived(shape, mutant), ...stories],
  {
    sequences: { check: checkAttemptCounterSequences, runs: 500 },
  },
);
