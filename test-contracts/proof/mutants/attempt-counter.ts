import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Attempt,
  type AttemptCounter,
  type AttemptOutcome,
  type AttemptTicket,
  after,
  type Instant,
  minutes,
  type RoleId,
} from '@pinfold/core';
import { UNSETTLED_AT_MOST } from '@pinfold/core/adapter';
import { createMemory } from '@pinfold/memory';
import {
  attemptCounterContract,
  checkAttemptCounterSequences,
  type StoreSubject,
} from '@pinfold/test-contracts';
import { derived, type PortShape } from './derive.ts';
import type { Fields } from './distortions.ts';
import type { Mutant, MutantTable, Spoiling } from './mutant.ts';
import { overMemory } from './over-memory.ts';

const { sound, mutant, harness } = overMemory<AttemptCounter>(({ attempts }) => attempts);

const ATTEMPT: Fields<Attempt> = {
  role: 'uuid',
  address: 'text',
  now: 'instant',
  window: 'count',
  perAddress: 'count',
  perRole: 'count',
};

const shape: PortShape<AttemptCounter> = {
  suite: 'attempt-counter',
  code: 'store_unavailable',
  methods: {
    begin: {
      takes: { attempt: ATTEMPT },
      answers: { kind: 'choice', ticket: 'id', until: 'instant' },
      early: { value: { kind: 'busy' } },
      caught: {
        unsettled: '*',
        addresses: 'answers.ticket.lowered takes.attempt.address takes.attempt.role.{cut,ended}',
        busy: 'answers.ticket.stuck takes.attempt.perRole.stuck',
        'both-or-neither': 'answers.until.stuck',
        unreachable: 'coversUp isCurt isRaw misnames',
        race: 'shares',
        'count-ended': 'takes.attempt.address.{lost,stuck}',
        'per-address': 'takes.attempt.address.trimmed',
        hundreds: 'takes.attempt.perAddress.capped takes.attempt.perRole.capped',
        window: 'takes.attempt.window.stuck',
        'per-role': 'answers.kind.stuck',
        untested: 'takes.attempt.address.quoted',
      },
    },
    settle: {
      takes: { ticket: 'id' },
      early: { value: undefined },
      caught: {
        unreachable: '*',
        busy: 'hurries idles takes.ticket',
        sequences: 'shares',
        addresses: 'takes.ticket.lowered',
        untested: 'caches repeats',
      },
    },
    forgive: {
      takes: { ticket: 'id' },
      early: { value: undefined },
      caught: {
        unreachable: '*',
        busy: 'hurries idles',
        forgive: 'shares',
        sequences: 'takes.ticket.lowered',
        settle: 'takes.ticket.stuck',
        untested: 'caches repeats',
      },
    },
    purge: {
      takes: { endedBy: 'instant', limit: 'count' },
      answers: 'count',
      early: { value: 0 },
      caught: {
        purge: '*',
        'purge-many': 'answers.capped takes.limit.capped',
        unreachable: 'coversUp isCurt isRaw misnames',
        sequences: 'shares',
      },
    },
    countEnded: {
      takes: { endedBy: 'instant' },
      answers: 'count',
      early: { value: 0 },
      caught: {
        'count-ended': '*',
        'purge-many': 'answers.capped',
        unreachable: 'coversUp isCurt isRaw misnames',
        sequences: 'shares',
        'forgiven-window': 'takes.endedBy.stuck',
        untested: 'repeats',
      },
    },
  },
  confusions: {
    addresses: '*',
    'per-address': 'address.trimmed',
    busy: 'ticket.ended',
    untested: 'address.quoted ticket',
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

/** Forgiving a ticket again forgives another try of the same address. */
const forgivingAgain: Spoiling<AttemptCounter> = () => {
  const open: { readonly ticket: AttemptTicket; readonly attempt: Attempt }[] = [];
  const given = new Map<AttemptTicket, Attempt>();
  return (store) => ({
    begin: async (attempt) => {
      const outcome = await store.begin(attempt);
      if (outcome.kind === 'admitted') {
        open.push({ ticket: outcome.ticket, attempt });
        given.set(outcome.ticket, attempt);
      }
      return outcome;
    },
    forgive: async (ticket) => {
      const of = given.get(ticket);
      const exact = open.findIndex((entry) => entry.ticket === ticket);
      const same = open.findIndex(
        ({ attempt }) => attempt.role === of?.role && attempt.address === of.address,
      );
      const [entry] = open.splice(exact === -1 ? same : exact, exact === -1 && same === -1 ? 0 : 1);
      await store.forgive(entry?.ticket ?? ticket);
    },
  });
};

/** Settling a try that was forgiven counts it once more. */
const settlingForgiven: Spoiling<AttemptCounter> = () => {
  const given = new Map<AttemptTicket, Attempt>();
  const forgiven = new Set<AttemptTicket>();
  return (store) => ({
    begin: async (attempt) => {
      const outcome = await store.begin(attempt);
      if (outcome.kind === 'admitted') given.set(outcome.ticket, attempt);
      return outcome;
    },
    forgive: async (ticket) => {
      forgiven.add(ticket);
      await store.forgive(ticket);
    },
    settle: async (ticket) => {
      const attempt = given.get(ticket);
      if (!forgiven.has(ticket) || attempt === undefined) return await store.settle(ticket);
      const again = await store.begin({ ...attempt, perAddress: UNLIMITED, perRole: UNLIMITED });
      if (again.kind === 'admitted') await store.settle(again.ticket);
    },
  });
};

/** The next try settles for good what was not settled in time. */
const losingLateOnes: Spoiling<AttemptCounter> = () => {
  const open = new Map<AttemptTicket, Instant>();
  return (store) => ({
    begin: async (attempt) => {
      for (const [ticket, begun] of open) {
        if (after(begun, UNSETTLED_AT_MOST) <= attempt.now) await store.settle(ticket);
      }
      const outcome = await store.begin(attempt);
      if (outcome.kind === 'admitted') open.set(outcome.ticket, attempt.now);
      return outcome;
    },
  });
};

/** A role's window ends as it would if nothing in it had been forgiven. */
const rememberingForgiven: Spoiling<AttemptCounter> = () => {
  const ends = new Map<RoleId, Instant>();
  return (store) => ({
    begin: async (attempt) => {
      const { role, now, window } = attempt;
      const end = ends.get(role);
      if (end !== undefined && end > now) return await store.begin(attempt);
      ends.set(role, after(now, window));
      return await store.begin({ ...attempt, perAddress: UNLIMITED, perRole: UNLIMITED });
    },
  });
};

const stories: readonly Mutant<StoreSubject<AttemptCounter>>[] = [
  mutant('attempt-counter/per-role', 'only addresses are limited', () => (store) => ({
    begin: (attempt) => store.begin({ ...attempt, perRole: UNLIMITED }),
  })),
  mutant('attempt-counter/both-or-neither', 'each limit counts by itself', inTwoSteps),
  mutant('attempt-counter/window', 'a limited try has to wait for a whole window', () => (store) => ({
    begin: async (attempt) => {
      const outcome = await store.begin(attempt);
      if (outcome.kind !== 'limited') return outcome;
      return { kind: 'limited', until: after(attempt.now, attempt.window) };
    },
  })),
  mutant('attempt-counter/busy', 'tries under way limit others as wrong ones do', () => (store) => ({
    begin: async (attempt) => {
      const outcome = await store.begin(attempt);
      if (outcome.kind !== 'busy') return outcome;
      return { kind: 'limited', until: after(attempt.now, attempt.window) };
    },
  })),
  mutant('attempt-counter/unsettled', 'a try that was late is wrong for good', losingLateOnes),
  mutant('attempt-counter/settle', 'a try that was forgiven can be made wrong', settlingForgiven),
  mutant(
    'attempt-counter/forgiven-window',
    'a window whose tries were forgiven ends as if it had them',
    rememberingForgiven,
  ),
  mutant('attempt-counter/race', 'counting looks first and writes later', lookingFirst),
  mutant('attempt-counter/forgive', 'a ticket can be taken back again', forgivingAgain),
  mutant('attempt-counter/purge', 'windows go by their beginning', () => (store) => ({
    purge: (endedBy, limit) => store.purge(after(endedBy, minutes(5)), limit),
  })),
  mutant('attempt-counter/count-ended', 'counting drops the counted windows', () => (store) => ({
    countEnded: (endedBy) => store.purge(endedBy, UNLIMITED),
  })),
  mutant('attempt-counter/hundreds', 'limits over 100 are taken for 100', () => (store) => ({
    begin: (attempt) =>
      store.begin({
        ...attempt,
        perAddress: Math.min(attempt.perAddress, 100),
        perRole: Math.min(attempt.perRole, 100),
      }),
  })),

  mutant('attempt-counter/purge-many', 'no more than 500 are dropped at a time', () => (store) => ({
    purge: (endedBy, limit) => store.purge(endedBy, Math.min(limit, 500)),
  })),
  mutant('attempt-counter/lets-go', 'tickets are counted and never dropped', () => {
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

export const attemptCounterTable: MutantTable<AttemptCounter, StoreSubject<AttemptCounter>> = {
  contract: attemptCounterContract,
  sequences: {
    'attempt-counter/sequences': { check: checkAttemptCounterSequences, runs: 500 },
  },
  sound,
  mutants: [...harness(shape.suite), ...derived(shape, mutant), ...stories],
};
