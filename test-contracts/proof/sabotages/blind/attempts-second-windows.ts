import type { Attempt, AttemptCounter, Instant } from '@pinfold/core';
import type { Sabotages } from '../ways.ts';
import { stepping, type Window } from './attempts-second-counter.ts';

const isRoles = ({ key, role }: Pick<Window, 'key' | 'role'>): boolean => key === JSON.stringify([role]);

const keyOf = ({ role, address }: Attempt): string => JSON.stringify([role, address]);

export const secondAttemptsWindows: Sabotages<AttemptCounter> = {
  'a window begins with the first try that was not forgiven': stepping((_, { count, forgiveIn }) => {
    const begun = new Map<string, number>();
    return {
      count: (key, ticket, attempt) => {
        begun.set(ticket, attempt.now);
        count(key, ticket, attempt);
      },
      forgiveIn: (window, ticket) => {
        const isCounted = window.counted.has(ticket);
        forgiveIn(window, ticket);
        const left = [...window.counted.keys()].map((one) => begun.get(one) ?? 0);
        if (isCounted && left.length > 0) window.until = Math.min(...left) + window.opener.window;
      },
    };
  }),
  'a shorter window shortens one that is open': stepping((steps, { count }) => ({
    count: (key, ticket, attempt) => {
      count(key, ticket, attempt);
      const window = steps.at(key, attempt.now);
      if (window) window.until = Math.min(window.until, attempt.now + attempt.window);
    },
  })),
  'windows end at whole seconds': stepping((_, { endOf }) => ({
    endOf: (attempt, key) => Math.floor(endOf(attempt, key) / 1_000) * 1_000,
  })),
  'lengths have 32 bits': stepping(() => ({ endOf: ({ now, window }) => now + (window | 0) })),
  'a clock that is behind opens a window': stepping((_, { at }) => ({
    at: (key, now) => {
      const window = at(key, now);
      return window && window.openedAt <= now ? window : undefined;
    },
  })),
  'the window of an address ends with its role’s': stepping((steps, { endOf }) => ({
    endOf: (attempt, key) => steps.at(steps.keys(attempt)[0], attempt.now)?.until ?? endOf(attempt, key),
  })),
  'the window of a role ends with the last of its addresses': stepping((steps, { open }) => ({
    open: (key, attempt) => {
      const window = open(key, attempt);
      const role = steps.at(steps.keys(attempt)[0], attempt.now);
      if (role) role.until = Math.max(role.until, window.until);
      return window;
    },
  })),
  'an address that begins anew does so for its role': stepping((steps, { begin }) => ({
    begin: (attempt) => {
      const [role, address] = steps.keys(attempt);
      if (steps.windows.has(address) && !steps.at(address, attempt.now)) steps.windows.delete(role);
      return begin(attempt);
    },
  })),
  'a handle tells the end that it knows': () => (counter) => {
    const ends = new Map<string, Instant>();
    return {
      begin: async (attempt) => {
        const outcome = await counter.begin(attempt);
        const known = ends.get(keyOf(attempt)) ?? 0;
        if (outcome.kind === 'limited' && known > attempt.now) return { ...outcome, until: known as Instant };
        if (known <= attempt.now) ends.set(keyOf(attempt), (attempt.now + attempt.window) as Instant);
        return outcome;
      },
    };
  },
  'a handle tells that it was limited without asking': () => (counter) => {
    const ends = new Map<string, Instant>();
    return {
      begin: async (attempt) => {
        const until = ends.get(keyOf(attempt));
        if (until !== undefined && until > attempt.now) return { kind: 'limited', until };
        const outcome = await counter.begin(attempt);
        if (outcome.kind === 'limited') ends.set(keyOf(attempt), outcome.until);
        return outcome;
      },
    };
  },
  'a try is as old as its window': stepping((_, { isUnderWay }) => ({
    isUnderWay: (begun, now, window) => isUnderWay(begun === 'wrong' ? begun : window.openedAt, now, window),
  })),
  'a try renews those under way': stepping((steps, { count }) => ({
    count: (key, ticket, attempt) => {
      count(key, ticket, attempt);
      const counted = steps.at(key, attempt.now)?.counted ?? new Map();
      for (const [other, begun] of counted) if (begun !== 'wrong') counted.set(other, attempt.now);
    },
  })),
  'a try nobody settled is under way for its role': stepping((_, { isUnderWay }) => ({
    isUnderWay: (begun, now, window) =>
      isRoles(window) ? begun !== 'wrong' : isUnderWay(begun, now, window),
  })),
  'a try that began at instant 0 is settled': stepping((_, { isUnderWay }) => ({
    isUnderWay: (begun, now, window) => begun !== 0 && isUnderWay(begun, now, window),
  })),
  'sixty seconds are rounded': stepping(() => ({
    isUnderWay: (begun, now) => begun !== 'wrong' && Math.round((now - begun) / 1_000) < 60,
  })),
  'a try that was wrong by its age is so again when settled': stepping((steps, { tallies, settleIn }) => {
    const old = new Set<string>();
    return {
      tallies: (attempt) => {
        for (const window of steps.windows.values()) {
          for (const [ticket, begun] of window.counted) {
            if (begun !== 'wrong' && !steps.isUnderWay(begun, attempt.now, window)) old.add(ticket);
          }
        }
        return tallies(attempt);
      },
      settleIn: (window, ticket) => {
        const isOld = old.has(ticket) && typeof window.counted.get(ticket) === 'number';
        settleIn(window, ticket);
        if (isOld) window.counted.set(`${ticket} `, 'wrong');
      },
    };
  }),
};
