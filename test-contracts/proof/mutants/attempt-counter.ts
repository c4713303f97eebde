import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AttemptCounter,
  type AttemptOutcome,
  type AttemptTicket,
  after,
  type Instant,
} from '@pinfold/core';
import { MAX_UNSETTLED } from '@pinfold/core/adapter';
import { createMemory } from '@pinfold/memory';
import {
  attemptCounterContract,
  checkAttemptCounterSequences,
  type StoreSubject,
} from '@pinfold/test-contracts';
import { derived } from './derive.ts';
import type { Mutant, Spoiling } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';

const { mutant, table } = overMemory<AttemptCounter>(({ attempts }) => attempts);

const clauses = {
  begin:
    'unreachable unsettled count-ended busy race per-address window per-role both-or-neither addresses hundreds',
  settle: 'unreachable busy addresses',
  forgive: 'unreachable busy forgive settle',
  purge: 'unreachable purge purge-many',
  countEnded: 'unreachable count-ended forgiven-window purge-many',
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
  mutant('unsettled', 'a try that was late is wrong for good', losingLateOnes),
  mutant('race', 'counting looks first and writes later', lookingFirst),
  mutant('sequences', 'counting drops the counted windows', () => (store) => ({
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
  derived(mutant, clauses),
  stories,
  {
    sequences: { check: checkAttemptCounterSequences, runs: 500 },
  },
);
