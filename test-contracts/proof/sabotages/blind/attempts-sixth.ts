import { type AttemptCounter, type AttemptOutcome, after, instant } from '@pinfold/core';
import { type Sabotages, turns } from '../ways.ts';
import { tabled, type WindowRow } from './attempts-sixth-tables.ts';

const isRole = ({ address }: WindowRow): boolean => address === undefined;

const addressed = (change: (address: string) => string) =>
  tabled(({ keys }) => ({ keys: (attempt) => keys({ ...attempt, address: change(attempt.address) }) }));

function isLike(text: string, pattern: string): boolean {
  const escaped = pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('_', '.').replaceAll('%', '.*')}$`, 'su').test(text);
}

const limits: Sabotages<AttemptCounter> = {
  'a window keeps the limit it was first judged by': tabled(({ tally }) => ({
    tally: (window, attempt, limit) => {
      window.limit ??= limit;
      return tally(window, attempt, window.limit);
    },
  })),
  'a role is summed up from what its addresses have open': tabled(({ tries }, { tickets, windows }) => ({
    tries: (window, attempt) =>
      tries(window, attempt).filter(([ticket]) => {
        const own = tickets.get(ticket)?.[1];
        return own !== undefined && own.until > attempt.now && windows.get(own.key) === own;
      }),
  })),
  'a role leaves out the addresses that are limited themselves': tabled(({ tries }, { windows }) => ({
    tries: (window, attempt) =>
      tries(window, attempt).filter(([, { address }]) => {
        const own = windows.get(JSON.stringify([window.role, address]))?.tries.values() ?? [];
        return !isRole(window) || [...own].filter(({ isWrong }) => isWrong).length < attempt.perAddress;
      }),
  })),
  'a role counts five hundred at most': tabled(({ tries }) => ({
    tries: (window, attempt) => tries(window, attempt).slice(0, isRole(window) ? 500 : undefined),
  })),
  'a role’s limit has 32 bits': tabled(({ tally }) => ({
    tally: (window, attempt, limit) => tally(window, attempt, isRole(window) ? limit | 0 : limit),
  })),
  'what an address has under way counts in every role': tabled(({ tries, isWrong }, { windows }) => ({
    tries: (window, attempt) => [
      ...tries(window, attempt),
      ...[...windows.values()]
        .filter(({ role, address }) => address === window.address && !isRole(window) && role !== window.role)
        .flatMap((other) => [...other.tries].filter(([, row]) => !isWrong(row, attempt.now, other))),
    ],
  })),
  'a busy address hides that the role is limited': tabled(({ refuse }) => ({
    refuse: (role, address) => {
      const own = refuse(undefined, address);
      return own?.kind === 'busy' ? own : refuse(role, address);
    },
  })),
  'none is limited while a try is under way': tabled(({ refuse }) => ({
    refuse: (...tallies) => {
      const refusal = refuse(...tallies);
      return refusal && tallies.some((tally) => tally?.underWay) ? { kind: 'busy' } : refusal;
    },
  })),
  'a refused try opens its address’s window': tabled(({ judge }, _, steps) => ({
    judge: (attempt) => {
      const refusal = judge(attempt);
      const [, key] = steps.keys(attempt);
      if (refusal !== undefined && steps.open(key, attempt) === undefined) steps.fresh(key, attempt);
      return refusal;
    },
  })),
  'a refused try opens its role’s window': tabled(({ judge }, _, steps) => ({
    judge: (attempt) => {
      const refusal = judge(attempt);
      const [key] = steps.keys(attempt);
      if (refusal !== undefined && steps.open(key, attempt) === undefined) steps.fresh(key, attempt);
      return refusal;
    },
  })),
  'a handle remembers who is limited until when': tabled(({ begin }) => {
    const known = new Map<string, AttemptOutcome>();
    return {
      begin: async (attempt) => {
        const key = JSON.stringify([attempt.role, attempt.address]);
        const kept = known.get(key);
        if (kept?.kind === 'limited' && kept.until > attempt.now) return kept;
        const outcome = await begin(attempt);
        known.set(key, outcome);
        return outcome;
      },
    };
  }),
  'a handle remembers at one instant that it is busy': tabled(({ begin }) => {
    const busy = new Set<string>();
    return {
      begin: async (attempt) => {
        const key = JSON.stringify([attempt.role, attempt.address, attempt.now]);
        const outcome = busy.has(key) ? ({ kind: 'busy' } as const) : await begin(attempt);
        if (outcome.kind === 'busy') busy.add(key);
        return outcome;
      },
    };
  }),
};

const names: Sabotages<AttemptCounter> = {
  'an address mapped into IPv6 is the one it maps': addressed((address) => address.replace(/^::ffff:/, '')),
  'an address ends after 65,535 characters': addressed((address) => address.slice(0, 65_535)),
  'an address has no accents': addressed((address) => address.normalize('NFD').replace(/\p{M}/gu, '')),
  'an address is looked up as a pattern': tabled(({ open }, { windows }) => ({
    open: (key, attempt) => {
      const like = [...windows.values()].find(
        ({ role, address, until }) =>
          until > attempt.now && role === attempt.role && address && isLike(address, attempt.address),
      );
      return open(key, attempt) ?? (key === JSON.stringify([attempt.role]) ? undefined : like);
    },
  })),
  'a role is told by the first group of its id': tabled(({ keys }) => ({
    keys: (attempt) => keys({ ...attempt, role: attempt.role.slice(0, 8) as typeof attempt.role }),
  })),
  'tries of one instant have one ticket': tabled(() => ({
    ticket: ({ role, address, now }) => JSON.stringify([role, address, now]),
  })),
  'a ticket is the highest and one': tabled((_, { windows }) => ({
    ticket: () => {
      const kept = [...windows.values()].flatMap(({ tries }) => [...tries.keys()].map(Number));
      return String(kept.reduce((high, ticket) => Math.max(high, ticket), 0) + 1);
    },
  })),
  'a ticket is a number in its address’s window': tabled((_, __, steps) => ({
    ticket: (attempt) => {
      const [, key] = steps.keys(attempt);
      return JSON.stringify([key, steps.open(key, attempt)?.numbered ?? 0]);
    },
  })),
};

const windows: Sabotages<AttemptCounter> = {
  'an address’s new window takes the tries of its last one from the role': tabled(
    ({ fresh }, { windows }) => ({
      fresh: (key, attempt) => {
        const old = windows.get(key);
        const window = fresh(key, attempt);
        const role = windows.get(JSON.stringify([attempt.role]));
        if (!isRole(window)) for (const ticket of old?.tries.keys() ?? []) role?.tries.delete(ticket);
        return window;
      },
    }),
  ),
  'a limited try prolongs its address’s window': tabled(({ judge }, _, steps) => ({
    judge: (attempt) => {
      const refusal = judge(attempt);
      const window = steps.open(steps.keys(attempt)[1], attempt);
      if (refusal?.kind === 'limited' && window) window.until = after(attempt.now, attempt.window);
      return refusal;
    },
  })),
  'a window is as long as the try says that asks': tabled(({ open }, { windows }) => ({
    open: (key, attempt) => {
      const window = windows.get(key);
      if (window !== undefined) window.until = after(window.opened, attempt.window);
      return open(key, attempt);
    },
  })),
  'a window ends sooner by a try that has less': tabled(({ admit }, _, steps) => ({
    admit: (attempt) => {
      const outcome = admit(attempt);
      for (const key of steps.keys(attempt)) {
        const window = steps.open(key, attempt);
        if (window) window.until = instant(Math.min(window.until, attempt.now + attempt.window));
      }
      return outcome;
    },
  })),
  'a window is not open before it was opened': tabled(({ open }) => ({
    open: (key, attempt) => {
      const window = open(key, attempt);
      return window && window.opened <= attempt.now ? window : undefined;
    },
  })),
  'a limited try is told the later end though only one limits': tabled(({ refuse }) => ({
    refuse: (...tallies) => {
      const refusal = refuse(...tallies);
      const until = Math.max(...tallies.map((tally) => tally?.endsAt ?? 0));
      return refusal?.kind === 'limited' ? { kind: 'limited', until: instant(until) } : refusal;
    },
  })),
  'a window has its seconds in 16 bits': tabled(({ fresh }) => ({
    fresh: (key, attempt) => {
      const window = fresh(key, attempt);
      window.until = instant(Math.min(window.until, attempt.now + 65_535_000));
      return window;
    },
  })),
  'what is under way goes on in the next window': tabled(({ fresh, isWrong }, { windows }) => ({
    fresh: (key, attempt) => {
      const old = windows.get(key);
      const window = fresh(key, attempt);
      for (const [ticket, row] of old?.tries ?? []) {
        if (old && !isWrong(row, attempt.now, old)) window.tries.set(ticket, row);
      }
      return window;
    },
  })),
  'a window begins where the last one ended': tabled(({ fresh }, { windows }) => ({
    fresh: (key, attempt) => {
      const old = windows.get(key);
      const window = fresh(key, attempt);
      const late = old && attempt.window > 0 ? (attempt.now - old.until) % attempt.window : 0;
      window.until = instant(window.until - Math.max(late, 0));
      return window;
    },
  })),
  'a handle’s clock never goes back': tabled(({ begin }) => {
    let latest = instant(0);
    return {
      begin: (attempt) => {
        latest = instant(Math.max(latest, attempt.now));
        return begin({ ...attempt, now: latest });
      },
    };
  }),
};

const races: Sabotages<AttemptCounter> = {
  'tries wait for each other in one handle only': tabled((_, __, steps) => {
    let last: Promise<unknown> = Promise.resolve();
    return {
      begin: (attempt) => {
        const next = last.then(async () => {
          const refusal = steps.judge(attempt);
          await turns(1);
          return refusal ?? steps.admit(attempt);
        });
        last = next.catch(() => undefined);
        return next;
      },
    };
  }),
  'tries of one address wait for each other': tabled((_, __, steps) => ({
    begin: async (attempt) => {
      const refusal = steps.judge(attempt);
      if (refusal !== undefined) return refusal;
      await turns(1);
      return steps.refuse(undefined, steps.tallies(attempt)[1]) ?? steps.admit(attempt);
    },
  })),
  'of windows opened at once the last one stays': tabled((_, __, steps) => ({
    begin: async (attempt) => {
      const none = steps.keys(attempt).filter((key) => steps.open(key, attempt) === undefined);
      const refusal = steps.judge(attempt);
      if (refusal !== undefined) return refusal;
      if (none.length > 0) await turns(1);
      for (const key of none) steps.fresh(key, attempt);
      return steps.judge(attempt) ?? steps.admit(attempt);
    },
  })),
};

/** Ways of beginning that are wrong. */
export const sixthAttempts: Sabotages<AttemptCounter> = { ...limits, ...names, ...windows, ...races };
