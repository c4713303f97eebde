import type { Attempt, AttemptCounter, AttemptOutcome, AttemptTicket } from '@pinfold/core';
import { instant, isFault } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';
import { fifthEnds } from './attempts-fifth-ends.ts';
import { fifthWindows } from './attempts-fifth-windows.ts';

const { does, answers, asks } = waysOf<AttemptCounter>();

/** Compares addresses otherwise than exactly. */
const addressed = (fold: (address: string) => string) =>
  asks('begin', (attempt) => [{ ...attempt, address: fold(attempt.address) }]);
const asked = (change: (attempt: Attempt) => object) =>
  asks('begin', (attempt) => [{ ...attempt, ...change(attempt) }]);

/** Ways to count wrongly, written from the sentences of the port alone, a third time. */
export const fifthAttempts: Sabotages<AttemptCounter> = {
  ...fifthWindows,
  ...fifthEnds,
  'a window is whole seconds': asked(({ window }) => ({
    window: Math.floor(window / 1_000) * 1_000,
  })),
  'addresses are composed': addressed((address) => address.normalize('NFC')),
  'addresses that are numbers are compared as such': addressed((address) =>
    address.trim() !== '' && Number.isFinite(Number(address)) ? String(Number(address)) : address,
  ),
  'an underscore in an address stands for anything': () => {
    const known: string[] = [];
    return (store) => ({
      begin: (attempt) => {
        const asked = [...attempt.address];
        const isLike = (other: string): boolean =>
          other.length === asked.length &&
          asked.every((letter, at) => letter === '_' || letter === other[at]);
        const address = known.find(isLike) ?? attempt.address;
        known.push(address);
        return store.begin({ ...attempt, address });
      },
    });
  },
  'an address has 2,704 bytes': addressed((address) =>
    Buffer.from(address).subarray(0, 2_704).toString('latin1'),
  ),
  'what follows a slash is no part of an address': addressed((address) => address.split('/')[0] ?? ''),
  'an address of IPv4 is the one of IPv6 that maps it': addressed((address) =>
    address.replace('::ffff:', ''),
  ),
  'zeros before the digits of an address are left out': addressed((address) =>
    address.replaceAll(/(?<![0-9a-f])0+(?=[0-9a-f])/g, ''),
  ),
  'a role is the first half of its id': asked(({ role }) => ({ role: role.slice(0, 19) })),
  'addresses named as members of every object have no limit': asked(({ address }) =>
    address in {} ? { perAddress: Number.POSITIVE_INFINITY } : {},
  ),
  'limits have 32 bits': asked(({ perRole, perAddress }) => ({
    perRole: perRole | 0,
    perAddress: perAddress | 0,
  })),
  'a window has 32 bits': asked(({ window }) => ({ window: window | 0 })),
  'a limited try is told whole seconds': answers('begin', (outcome) =>
    outcome.kind === 'limited'
      ? { ...outcome, until: instant(Math.ceil(outcome.until / 1_000) * 1_000) }
      : outcome,
  ),
  'time never goes back': () => {
    let latest = Number.NEGATIVE_INFINITY;
    return (store) => ({
      begin: (attempt) => {
        latest = Math.max(latest, attempt.now);
        return store.begin({ ...attempt, now: instant(latest) });
      },
    });
  },
  'a colon in the address ends the ticket': () => (store) => {
    const unless = (end: (ticket: AttemptTicket) => Promise<void>) => async (ticket: AttemptTicket) => {
      if (!ticket.includes(':')) return await end(ticket);
      await store.countEnded(instant(0));
    };
    return { settle: unless(store.settle), forgive: unless(store.forgive) };
  },
  'a handle keeps until when an address is limited': () => (store) => {
    const kept = new Map<string, AttemptOutcome & { kind: 'limited' }>();
    return {
      begin: async (attempt) => {
        const key = JSON.stringify([attempt.role, attempt.address]);
        const known = kept.get(key);
        if (known !== undefined && known.until > attempt.now) return known;
        const outcome = await store.begin(attempt);
        if (outcome.kind === 'limited') kept.set(key, outcome);
        return outcome;
      },
    };
  },
  'a handle keeps a refusal for the same try': () => (store) => {
    const kept = new Map<string, AttemptOutcome>();
    return {
      begin: async (attempt) => {
        const key = JSON.stringify(attempt);
        const outcome = kept.get(key) ?? (await store.begin(attempt));
        if (outcome.kind !== 'admitted') kept.set(key, outcome);
        return outcome;
      },
    };
  },
  'a limit of none drops all': asks('purge', (by, limit) => [by, limit || 1_000]),
  'no more than 1,000 are dropped at once': asks('purge', (by, limit) => [by, Math.min(limit, 1_000)]),
  'dropping none does not ask the database': does('purge', async (store, by, limit) =>
    limit === 0 ? 0 : await store.purge(by, limit),
  ),
  'a handle writes what it settled with its next call': () => (store) => {
    const settled: AttemptTicket[] = [];
    const flushed =
      <I extends unknown[], A>(call: (...inputs: I) => Promise<A>) =>
      async (...inputs: I): Promise<A> => {
        for (const ticket of settled.splice(0)) await store.settle(ticket);
        return await call(...inputs);
      };
    return {
      settle: async (ticket) => {
        await store.countEnded(instant(0));
        settled.push(ticket);
      },
      begin: flushed(store.begin),
      purge: flushed(store.purge),
      countEnded: flushed(store.countEnded),
    };
  },
  'only the first call tells why the database does not answer': () => (store) => {
    let isOut = false;
    const broken =
      <I extends unknown[], A>(call: (...inputs: I) => Promise<A>) =>
      async (...inputs: I): Promise<A> => {
        try {
          return await call(...inputs);
        } catch (error) {
          if (isOut && isFault(error)) Object.defineProperty(error, 'cause', { value: undefined });
          isOut = true;
          throw error;
        }
      };
    return { begin: broken(store.begin), purge: broken(store.purge), countEnded: broken(store.countEnded) };
  },
};
