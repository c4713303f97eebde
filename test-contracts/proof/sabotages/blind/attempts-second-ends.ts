import {
  type Attempt,
  type AttemptCounter,
  type AttemptTicket,
  Fault,
  type Instant,
  isFault,
} from '@pinfold/core';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { stepping, type Window } from './attempts-second-counter.ts';

const { answers, asks } = waysOf<AttemptCounter>();

const isRoles = ({ key, role }: Window): boolean => key === JSON.stringify([role]);

const keyOf = ({ role, address }: Attempt): string => JSON.stringify([role, address]);

const oldestUnderWay = ({ counted }: Window, name = ''): string | undefined =>
  [...counted].find(([ticket, begun]) => begun !== 'wrong' && ticket.startsWith(name))?.[0];

export const secondAttemptsEnds: Sabotages<AttemptCounter> = {
  'what was settled is known until another is': stepping((steps, { settle, settleIn }) => {
    let last: string | undefined;
    return {
      settle: (ticket) => {
        settle(ticket);
        last = ticket;
      },
      settleIn: (window, ticket) => {
        const isAgain = window.counted.get(ticket) === 'wrong' && last !== ticket;
        settleIn(window, ticket);
        if (isAgain) window.counted.set(`${ticket} ${steps.tickets++}`, 'wrong');
      },
    };
  }),
  'settling what was purged keeps it again': stepping((steps, { settle }) => ({
    settle: (ticket) => {
      settle(ticket);
      const [, role, address] = JSON.parse(ticket);
      const [key] = steps.keys({ role, address });
      if (!steps.windows.has(key)) steps.open(key, { role, address, now: 0, window: 1 } as Attempt);
    },
  })),
  'the address in a ticket ends at a colon': stepping((steps) => ({
    windowsOf: (ticket) => {
      const [, role, address] = JSON.parse(ticket);
      return steps.keys({ role, address: address.split(':')[0] }).map((key) => steps.windows.get(key));
    },
  })),
  'a try is not settled without its role’s window': stepping((steps, { settle }) => ({
    settle: (ticket) => {
      if (steps.windowsOf(ticket)[0]?.counted.has(ticket)) settle(ticket);
    },
  })),
  'a try is settled for its role later': stepping((steps, { settleIn }) => ({
    settle: (ticket) => {
      const [role, address] = steps.windowsOf(ticket);
      if (address) settleIn(address, ticket);
      void turns(30).then(() => role && settleIn(role, ticket));
    },
  })),
  'tickets of one instant are one': stepping((steps, { count }) => ({
    ticket: ({ now, role, address }) => JSON.stringify([now, role, address]),
    count: (key, ticket, attempt) => count(key, `${ticket}${steps.tickets++}`, attempt),
    settleIn: (window, ticket) => {
      const one = oldestUnderWay(window, ticket);
      if (one !== undefined) window.counted.set(one, 'wrong');
    },
    forgiveIn: (window, ticket) => {
      window.counted.delete(oldestUnderWay(window, ticket) ?? '');
      if (window.counted.size === 0) steps.windows.delete(window.key);
    },
  })),
  'a try is settled in a later window of its role': stepping((_, { count, settleIn }) => {
    const begun = new Map<string, number>();
    return {
      count: (key, ticket, attempt) => {
        begun.set(ticket, attempt.now);
        count(key, ticket, attempt);
      },
      settleIn: (window, ticket) => {
        settleIn(window, ticket);
        if (isRoles(window) && window.openedAt > (begun.get(ticket) ?? 0))
          window.counted.set(ticket, 'wrong');
      },
    };
  }),
  'what was purged cannot be forgiven': stepping((steps, { forgive, purge }) => {
    const purged = new Set<string>();
    return {
      purge: (by, limit) => {
        for (const { key } of steps.ended(by)) purged.add(key);
        return purge(by, limit);
      },
      forgive: (ticket) => {
        const [, role, address] = JSON.parse(ticket);
        const isGone = steps.windowsOf(ticket).every((window) => window === undefined);
        if (isGone && steps.keys({ role, address }).every((key) => purged.has(key))) {
          throw new Fault('store_unavailable', 'no such window');
        }
        forgive(ticket);
      },
    };
  }),
  'the last hundred tries can be forgiven': stepping((_, { begin, forgive }) => {
    const last: string[] = [];
    return {
      begin: (attempt) => {
        const outcome = begin(attempt);
        if (outcome.kind === 'admitted') last.push(outcome.ticket);
        return outcome;
      },
      forgive: (ticket) => {
        if (last.slice(-100).includes(ticket)) forgive(ticket);
      },
    };
  }),
  'the window of a role goes with that of an address': stepping((steps, { forgive }) => ({
    forgive: (ticket) => {
      const [role, address] = steps.windowsOf(ticket);
      forgive(ticket);
      if (role && address && steps.windows.get(address.key) !== address) steps.windows.delete(role.key);
    },
  })),
  'a window goes when the try that opened it is forgiven last': stepping((steps, { count }) => {
    const openers = new Map<Window | undefined, string>();
    return {
      count: (key, ticket, attempt) => {
        count(key, ticket, attempt);
        const window = steps.at(key, attempt.now);
        if (!openers.has(window)) openers.set(window, ticket);
      },
      forgiveIn: (window, ticket) => {
        if (window.counted.get(ticket) !== 'wrong') window.counted.delete(ticket);
        if (window.counted.size === 0 && openers.get(window) === ticket) steps.windows.delete(window.key);
      },
    };
  }),
  'the window of a role stays when every try was forgiven': stepping((_, { forgiveIn }) => ({
    forgiveIn: (window, ticket) => {
      if (!isRoles(window)) forgiveIn(window, ticket);
      else if (window.counted.get(ticket) !== 'wrong') window.counted.delete(ticket);
    },
  })),
  'a try is forgiven in a later window of its role': stepping((_, { count, forgiveIn }) => {
    const begun = new Map<string, number>();
    return {
      count: (key, ticket, attempt) => {
        begun.set(ticket, attempt.now);
        count(key, ticket, attempt);
      },
      forgiveIn: (window, ticket) => {
        const isLater = isRoles(window) && window.openedAt > (begun.get(ticket) ?? 0);
        forgiveIn(window, isLater ? (oldestUnderWay(window) ?? ticket) : ticket);
      },
    };
  }),
  'a try is not forgiven without its address’s window': stepping((steps, { forgive }) => ({
    forgive: (ticket) => {
      if (steps.windowsOf(ticket)[1]?.counted.has(ticket)) forgive(ticket);
    },
  })),
  'the windows of addresses go with their role’s': stepping((steps, { purge }) => ({
    purge: (by, limit) => {
      const roles = steps.ended(by).slice(0, limit).filter(isRoles);
      const purged = purge(by, limit);
      for (const { key, role } of steps.windows.values()) {
        if (roles.some((one) => one.role === role)) steps.windows.delete(key);
      }
      return purged;
    },
  })),
  'windows with tries under way do not end': stepping((_, { ended }) => ({
    ended: (by) => ended(by).filter((window) => oldestUnderWay(window) === undefined),
  })),
  'a thousand are purged at most': asks('purge', (by, limit) => [by, Math.min(limit, 1_000)]),
  'the limit of a purge has 32 bits': asks('purge', (by, limit) => [by, limit | 0]),
  'roles are counted': stepping((_, { ended }) => ({
    countEnded: (by) => new Set(ended(by).map(({ role }) => role)).size,
  })),
  'a thousand are counted at most': answers('countEnded', (count) => Math.min(count, 1_000)),
  'who was limited is told so while nothing answers': () => {
    const ends = new Map<string, Instant>();
    return (counter) => ({
      begin: async (attempt) => {
        const outcome = await counter.begin(attempt).catch((error: unknown) => {
          const until = ends.get(keyOf(attempt));
          if (!isFault(error) || until === undefined) throw error;
          return { kind: 'limited' as const, until };
        });
        if (outcome.kind === 'limited') ends.set(keyOf(attempt), outcome.until);
        return outcome;
      },
    });
  },
  'what was settled is not asked for again': () => {
    const settled = new Set<AttemptTicket>();
    return (counter) => ({
      settle: async (ticket) => {
        if (!settled.has(ticket)) await counter.settle(ticket);
        settled.add(ticket);
      },
    });
  },
};
