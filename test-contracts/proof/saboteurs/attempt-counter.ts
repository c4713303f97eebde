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
import { attemptCounterContract, type StoreSubject } from '@pinfold/test-contracts';
import { memorySaboteurs, oneForAll, type Spoiling, strangers } from './memory-saboteurs.ts';
import { clausesBut, type Sabotage, type Saboteur } from './sabotage.ts';

const { opening, sound, saboteur } = memorySaboteurs<AttemptCounter>(({ attempts }) => attempts);

const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Counts for the address, then for the role, each by itself. */
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

/** Taking a ticket back again takes another try of the same address back. */
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

/** What was not settled in time is settled for good by the next try. */
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

const saboteurs: readonly Saboteur<StoreSubject<AttemptCounter>>[] = [
  {
    breaks: 'attempt-counter/harness-apart',
    how: 'all subjects are over the same data',
    open: opening(oneForAll),
    alsoFails: ['attempt-counter/purge', 'attempt-counter/forgiven-window'],
  },
  {
    breaks: 'attempt-counter/harness-peer',
    how: 'a peer opens data of its own',
    open: opening(strangers),
    alsoFails: clausesBut(attemptCounterContract, [
      'attempt-counter/harness-apart',
      'attempt-counter/lets-go',
      'attempt-counter/unreachable',
    ]),
  },
  saboteur(
    'attempt-counter/per-address',
    'addresses are trimmed',
    () => (store) => ({
      begin: (attempt) => store.begin({ ...attempt, address: attempt.address.trim() }),
    }),
    ['attempt-counter/addresses'],
  ),
  saboteur(
    'attempt-counter/per-role',
    'only addresses are limited',
    () => (store) => ({
      begin: (attempt) => store.begin({ ...attempt, perRole: UNLIMITED }),
    }),
    [
      'attempt-counter/both-or-neither',
      'attempt-counter/purge',
      'attempt-counter/busy',
      'attempt-counter/race',
      'attempt-counter/unsettled',
      'attempt-counter/settle',
      'attempt-counter/forgive',
      'attempt-counter/forgiven-window',
      'attempt-counter/hundreds',
      'attempt-counter/purge-many',
    ],
  ),
  saboteur('attempt-counter/both-or-neither', 'each limit counts by itself', inTwoSteps, [
    'attempt-counter/purge',
    'attempt-counter/count-ended',
    'attempt-counter/busy',
    'attempt-counter/unsettled',
    'attempt-counter/purge-many',
  ]),
  saboteur(
    'attempt-counter/window',
    'a limited try is told a whole window',
    () => (store) => ({
      begin: async (attempt) => {
        const outcome = await store.begin(attempt);
        if (outcome.kind !== 'limited') return outcome;
        return { kind: 'limited', until: after(attempt.now, attempt.window) };
      },
    }),
    ['attempt-counter/purge', 'attempt-counter/unsettled', 'attempt-counter/forgiven-window'],
  ),
  saboteur(
    'attempt-counter/busy',
    'tries under way limit others as wrong ones do',
    () => (store) => ({
      begin: async (attempt) => {
        const outcome = await store.begin(attempt);
        if (outcome.kind !== 'busy') return outcome;
        return { kind: 'limited', until: after(attempt.now, attempt.window) };
      },
    }),
    [
      'attempt-counter/both-or-neither',
      'attempt-counter/purge',
      'attempt-counter/race',
      'attempt-counter/unsettled',
      'attempt-counter/settle',
      'attempt-counter/forgive',
      'attempt-counter/hundreds',
      'attempt-counter/addresses',
    ],
  ),
  saboteur('attempt-counter/unsettled', 'a try that was late is wrong for good', losingLateOnes, [
    'attempt-counter/purge',
    'attempt-counter/forgive',
    'attempt-counter/forgiven-window',
  ]),
  saboteur('attempt-counter/settle', 'a try that was forgiven can be made wrong', settlingForgiven),
  saboteur(
    'attempt-counter/forgiven-window',
    'a window whose tries were forgiven ends as if it had them',
    rememberingForgiven,
    ['attempt-counter/both-or-neither', 'attempt-counter/purge'],
  ),
  saboteur('attempt-counter/race', 'counting looks first and writes later', lookingFirst),
  saboteur('attempt-counter/forgive', 'a ticket can be taken back again', forgivingAgain),
  saboteur(
    'attempt-counter/purge',
    'windows go by their beginning',
    () => (store) => ({
      purge: (endedBy, limit) => store.purge(after(endedBy, minutes(5)), limit),
    }),
    ['attempt-counter/count-ended', 'attempt-counter/forgive'],
  ),
  saboteur(
    'attempt-counter/count-ended',
    'counting drops what it counts',
    () => (store) => ({
      countEnded: (endedBy) => store.purge(endedBy, UNLIMITED),
    }),
    ['attempt-counter/purge-many'],
  ),
  saboteur(
    'attempt-counter/hundreds',
    'limits over 100 are taken for 100',
    () => (store) => ({
      begin: (attempt) =>
        store.begin({
          ...attempt,
          perAddress: Math.min(attempt.perAddress, 100),
          perRole: Math.min(attempt.perRole, 100),
        }),
    }),
    ['attempt-counter/addresses', 'attempt-counter/lets-go'],
  ),
  saboteur('attempt-counter/addresses', 'addresses are cut at 32 characters', () => (store) => ({
    begin: (attempt) => store.begin({ ...attempt, address: attempt.address.slice(0, 32) }),
  })),
  saboteur('attempt-counter/purge-many', 'no more than 500 are dropped at a time', () => (store) => ({
    purge: (endedBy, limit) => store.purge(endedBy, Math.min(limit, 500)),
  })),
  saboteur(
    'attempt-counter/lets-go',
    'tickets are counted and never dropped',
    () => {
      let tickets = 0;
      return (store) => ({
        begin: async (attempt) => {
          tickets += 1;
          return await store.begin(attempt);
        },
        countEnded: async (endedBy) => (await store.countEnded(endedBy)) + Math.floor(tickets / 100),
      });
    },
    ['attempt-counter/purge-many'],
  ),
  saboteur('attempt-counter/unreachable', 'what cannot be settled is forgotten', () => (store) => ({
    settle: (ticket) => store.settle(ticket).catch(() => undefined),
  })),
];

export const attemptCounterSabotage: Sabotage<AttemptCounter, StoreSubject<AttemptCounter>> = {
  contract: attemptCounterContract,
  sound,
  saboteurs,
};
