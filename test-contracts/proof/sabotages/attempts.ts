import {
  type Attempt,
  type AttemptCounter,
  type AttemptOutcome,
  type AttemptTicket,
  after,
  before,
  duration,
  type Instant,
  minutes,
  type RoleId,
} from '@pinfold/core';
import type { Spoiling } from '../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from './ways.ts';

const { answers, asks, coversUp, does, hurries, isCurtIn, isRawIn, keeps, misnames } =
  waysOf<AttemptCounter>();

const MOMENT = duration(1);
const UNLIMITED = 1_000_000;

/** Counts a try that is another in some of its members. */
function counts(change: (attempt: Attempt) => Partial<Attempt>): Spoiling<AttemptCounter> {
  return asks('begin', (attempt) => [{ ...attempt, ...change(attempt) }]);
}

/** Tells something else of a try. */
function tells(
  change: (outcome: AttemptOutcome, attempt: Attempt) => AttemptOutcome,
): Spoiling<AttemptCounter> {
  return answers('begin', change);
}

/** Knows the try of each ticket, over all handles. */
function withTickets(
  spoiling: (tickets: Map<AttemptTicket, Attempt>) => (store: AttemptCounter) => Partial<AttemptCounter>,
): Spoiling<AttemptCounter> {
  return () => {
    const tickets = new Map<AttemptTicket, Attempt>();
    const spoiled = spoiling(tickets);
    return (store) => ({
      begin: async (attempt) => {
        const outcome = await store.begin(attempt);
        if (outcome.kind === 'admitted') tickets.set(outcome.ticket, attempt);
        return outcome;
      },
      ...spoiled(store),
    });
  };
}

const limitSabotages: Sabotages<AttemptCounter> = {
  'nobody is limited': counts(() => ({ perAddress: UNLIMITED, perRole: UNLIMITED })),
  'addresses are not limited': counts(() => ({ perAddress: UNLIMITED })),
  'roles are not limited': counts(() => ({ perRole: UNLIMITED })),
  'an address has one try more': counts(({ perAddress }) => ({ perAddress: perAddress + 1 })),
  'an address has one try less': counts(({ perAddress }) => ({ perAddress: perAddress - 1 })),
  'a role has one try more': counts(({ perRole }) => ({ perRole: perRole + 1 })),
  'a role has one try less': counts(({ perRole }) => ({ perRole: perRole - 1 })),
  'both limits are the lower one': counts(({ perAddress, perRole }) => ({
    perRole: Math.min(perAddress, perRole),
  })),
  'both limits are the higher one': counts(({ perAddress, perRole }) => ({
    perAddress: Math.max(perAddress, perRole),
  })),
  'limits have a byte': counts(({ perAddress, perRole }) => ({
    perAddress: perAddress % 256,
    perRole: perRole % 256,
  })),
  'limits are 200 at most': counts(({ perRole }) => ({ perRole: Math.min(perRole, 200) })),
  'limits of addresses are 100 at most': counts(({ perAddress }) => ({
    perAddress: Math.min(perAddress, 100),
  })),
  'roles are taken for one': counts(() => ({ role: 'role' as RoleId })),
  'roles are told apart by all but the last character': counts(({ role }) => ({
    role: role.slice(0, -1) as RoleId,
  })),
  'addresses are in lower case': counts(({ address }) => ({ address: address.toLowerCase() })),
  'addresses are trimmed': counts(({ address }) => ({ address: address.trim() })),
  'addresses are cut at 15 characters': counts(({ address }) => ({ address: address.slice(0, 15) })),
  'addresses are cut at 64 characters': counts(({ address }) => ({ address: address.slice(0, 64) })),
  'addresses are cut at 200 characters': counts(({ address }) => ({ address: address.slice(0, 200) })),
  'addresses are numbers where they can be': counts(({ address }) => ({
    address: /^\d+$/.test(address) ? String(Number(address)) : address,
  })),
  'addresses of one network are one': counts(({ address }) => ({ address: address.replace(/\.\d+$/, '.0') })),
  'no address is the empty one of all': counts(({ address }) => ({
    address: address === ' ' ? '' : address,
  })),
  'a percent sign is any address': withTickets((tickets) => (store) => ({
    begin: async (attempt) => {
      const [first] = tickets.values();
      const address = attempt.address === '%' && first !== undefined ? first.address : attempt.address;
      const outcome = await store.begin({ ...attempt, address });
      if (outcome.kind === 'admitted') tickets.set(outcome.ticket, attempt);
      return outcome;
    },
  })),
};

const windowSabotages: Sabotages<AttemptCounter> = {
  'a window lasts an hour at most': counts(({ window }) => ({
    window: duration(Math.min(window, minutes(60))),
  })),
  'a window lasts a minute at least': counts(({ window }) => ({
    window: duration(Math.max(window, minutes(1))),
  })),
  'a window lasts a millisecond more': counts(({ window }) => ({ window: duration(window + 1) })),
  'a window lasts a millisecond less': counts(({ window }) => ({ window: duration(window - 1) })),
  'windows begin with the minute': counts(({ now }) => ({ now: (now - (now % 300_000)) as Instant })),
  'windows slide with each try': withTickets((tickets) => (store) => ({
    begin: async (attempt) => {
      const outcome = await store.begin(attempt);
      if (outcome.kind === 'admitted') tickets.set(outcome.ticket, attempt);
      if (outcome.kind !== 'limited') return outcome;
      const last = Math.max(...[...tickets.values()].map(({ now }) => now));
      return { kind: 'limited', until: Math.max(outcome.until, last + attempt.window) as Instant };
    },
  })),
  'tries are judged by the clock of the host': counts(() => ({ now: Date.now() as Instant })),
  'a limited try is told the end a millisecond early': tells((outcome) =>
    outcome.kind === 'limited' ? { ...outcome, until: before(outcome.until, MOMENT) } : outcome,
  ),
  'a limited try is told a whole window': tells((outcome, { now, window }) =>
    outcome.kind === 'limited' ? { ...outcome, until: after(now, window) } : outcome,
  ),
  'a limited try is told a minute': tells((outcome, { now }) =>
    outcome.kind === 'limited' ? { ...outcome, until: after(now, minutes(1)) } : outcome,
  ),
  'of two windows the earlier is told': () => (store) => ({
    begin: async (attempt) => {
      const outcome = await store.begin(attempt);
      if (outcome.kind !== 'limited') return outcome;
      const address = await store.begin({ ...attempt, perRole: UNLIMITED });
      if (address.kind === 'admitted') await store.forgive(address.ticket);
      const role = await store.begin({ ...attempt, perAddress: UNLIMITED });
      if (role.kind === 'admitted') await store.forgive(role.ticket);
      const ends = [address, role].flatMap((one) => (one.kind === 'limited' ? [one.until] : []));
      return { kind: 'limited', until: Math.min(...ends, outcome.until) as Instant };
    },
  }),
  'a limited try is counted all the same': does('begin', async (store, attempt) => {
    const outcome = await store.begin(attempt);
    if (outcome.kind === 'limited') {
      const counted = await store.begin({ ...attempt, perAddress: UNLIMITED });
      if (counted.kind === 'admitted') await store.settle(counted.ticket);
    }
    return outcome;
  }),
  'a waiting try is counted all the same': does('begin', async (store, attempt) => {
    const outcome = await store.begin(attempt);
    if (outcome.kind === 'busy') await store.begin({ ...attempt, perAddress: UNLIMITED });
    return outcome;
  }),
  'what is busy is limited': tells((outcome, { now, window }) =>
    outcome.kind === 'busy' ? { kind: 'limited', until: after(now, window) } : outcome,
  ),
  'what is limited is busy': tells((outcome) => (outcome.kind === 'limited' ? { kind: 'busy' } : outcome)),
  'tries under way are wrong at once': does('begin', async (store, attempt) => {
    const outcome = await store.begin(attempt);
    if (outcome.kind === 'admitted') await store.settle(outcome.ticket);
    return outcome;
  }),
  'tries under way keep nobody waiting': () => (store) => ({
    begin: async (attempt) => {
      const outcome = await store.begin(attempt);
      if (outcome.kind !== 'busy') return outcome;
      return await store.begin({ ...attempt, perAddress: UNLIMITED, perRole: UNLIMITED });
    },
  }),
  'a try that nobody settled is under way for good': withTickets((tickets) => (store) => ({
    begin: async (attempt) => {
      const outcome = await store.begin(attempt);
      if (outcome.kind === 'admitted') tickets.set(outcome.ticket, attempt);
      const late = [...tickets.values()].some(({ now }) => attempt.now >= now + 60_000);
      return outcome.kind === 'limited' && late ? { kind: 'busy' } : outcome;
    },
  })),
  'a try that nobody settled is wrong a millisecond early': counts(({ now, window }) => ({
    now: after(now, MOMENT),
    window: duration(window - 1),
  })),
  'a try that nobody settled is wrong a millisecond late': counts(({ now, window }) => ({
    now: before(now, MOMENT),
    window: duration(window + 1),
  })),
};

const ticketSabotages: Sabotages<AttemptCounter> = {
  'tickets are all alike': withTickets((tickets) => (store) => ({
    begin: async (attempt) => {
      const outcome = await store.begin(attempt);
      if (outcome.kind !== 'admitted') return outcome;
      const [first = outcome.ticket] = tickets.keys();
      tickets.set(outcome.ticket, attempt);
      return { ...outcome, ticket: first };
    },
  })),
  'settling does nothing': does('settle', async () => undefined),
  'settling answers before it is done': hurries('settle', undefined),
  'settling takes a try back': does('settle', (store, ticket) => store.forgive(ticket)),
  'settling settles all of the address': withTickets((tickets) => (store) => ({
    settle: async (ticket) => {
      const address = tickets.get(ticket)?.address;
      for (const [other, attempt] of tickets) if (attempt.address === address) await store.settle(other);
    },
  })),
  'a forgiven try can be made wrong': withTickets((tickets) => (store) => ({
    settle: async (ticket) => {
      await store.settle(ticket);
      const attempt = tickets.get(ticket);
      const again = attempt && (await store.begin({ ...attempt, perAddress: UNLIMITED, perRole: UNLIMITED }));
      if (again?.kind === 'admitted') {
        await store.settle(again.ticket);
        await store.forgive(ticket);
      }
    },
  })),
  'settling again fails': () => {
    const settled = new Set<AttemptTicket>();
    return (store) => ({
      settle: async (ticket) => {
        if (settled.has(ticket)) throw new Error('settled already');
        settled.add(ticket);
        await store.settle(ticket);
      },
    });
  },
  'forgiving does nothing': does('forgive', async () => undefined),
  'forgiving answers before it is done': hurries('forgive', undefined),
  'forgiving makes a try wrong': does('forgive', (store, ticket) => store.settle(ticket)),
  'forgiving forgives all of the address': withTickets((tickets) => (store) => ({
    forgive: async (ticket) => {
      const address = tickets.get(ticket)?.address;
      for (const [other, attempt] of tickets) if (attempt.address === address) await store.forgive(other);
    },
  })),
  'forgiving forgives wrong tries, too': withTickets((tickets) => (store) => {
    const settled = new Map<AttemptTicket, Attempt>();
    return {
      settle: async (ticket) => {
        const attempt = tickets.get(ticket);
        if (attempt !== undefined) settled.set(ticket, attempt);
      },
      forgive: (ticket) => store.forgive(ticket),
    };
  }),
  'settling what cannot be settled says nothing': coversUp('settle', undefined),
  'forgiving what cannot be forgiven says nothing': coversUp('forgive', undefined),
  'a store that does not answer lets everybody in': coversUp('begin', {
    kind: 'admitted',
    ticket: 'none' as AttemptTicket,
  }),
  'a store that does not answer keeps everybody waiting': coversUp('begin', { kind: 'busy' }),
  'what fails in a try comes out raw': isRawIn('begin'),
  'a fault of a try has no cause': isCurtIn('begin'),
  'a fault of settling has another name': misnames('settle', 'storage_unavailable'),
};

const purgeSabotages: Sabotages<AttemptCounter> = {
  'windows that ended stay': does('purge', async () => 0),
  'windows go that are open': asks('purge', (endedBy, limit) => [after(endedBy, minutes(5)), limit]),
  'windows that ended at the instant stay': asks('purge', (endedBy, limit) => [
    before(endedBy, MOMENT),
    limit,
  ]),
  'windows go a millisecond early': asks('purge', (endedBy, limit) => [after(endedBy, MOMENT), limit]),
  'a purge does not look at its limit': asks('purge', (endedBy) => [endedBy, UNLIMITED]),
  'a purge takes a hundred at most': asks('purge', (endedBy, limit) => [endedBy, Math.min(limit, 100)]),
  'a purge says one more': answers('purge', (count) => (count > 0 ? count + 1 : 0)),
  'a purge of what does not answer finds nothing': coversUp('purge', 0),
  'nothing is counted': does('countEnded', async () => 0),
  'open windows are counted': asks('countEnded', (endedBy) => [after(endedBy, minutes(5))]),
  'what ends at the instant is not counted': asks('countEnded', (endedBy) => [before(endedBy, MOMENT)]),
  'counting purges': does('countEnded', (store, endedBy) => store.purge(endedBy, UNLIMITED)),
  'a count is kept': keeps('countEnded'),
  'a count is 1,000 at most': answers('countEnded', (count) => Math.min(count, 1_000)),
};

/** What a counter may do wrong. */
export const attemptSabotages: Sabotages<AttemptCounter> = {
  ...limitSabotages,
  ...windowSabotages,
  ...ticketSabotages,
  ...purgeSabotages,
};
