import { type AttemptCounter, Fault, type Instant } from '@pinfold/core';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { type TryRow, tabled, type WindowRow } from './attempts-sixth-tables.ts';

const { does } = waysOf<AttemptCounter>();
const isRole = ({ address }: WindowRow): boolean => address === undefined;
const isDue = ({ begun }: TryRow, now: number): boolean => now - begun >= 60_000;

const unsettled: Sabotages<AttemptCounter> = {
  'the sixty seconds are told without fractions': tabled(() => ({
    isWrong: ({ isWrong, begun }, now) =>
      isWrong || Math.floor(now / 1_000) - Math.floor(begun / 1_000) >= 60,
  })),
  'the sixty seconds also pass backwards': tabled(() => ({
    isWrong: ({ isWrong, begun }, now) => isWrong || Math.abs(now - begun) >= 60_000,
  })),
  'the sixty seconds begin anew with each try of the address': tabled(({ admit }, _, steps) => ({
    admit: (attempt) => {
      for (const key of steps.keys(attempt)) {
        for (const row of steps.open(key, attempt)?.tries.values() ?? []) {
          if (row.address === attempt.address && !isDue(row, attempt.now)) row.begun = attempt.now;
        }
      }
      return admit(attempt);
    },
  })),
  'who sees that a try is due makes it wrong for good': tabled(({ isWrong }) => ({
    isWrong: (row, now, window) => {
      row.isWrong = isWrong(row, now, window);
      return row.isWrong;
    },
  })),
  'each look finds one more that is due': tabled(({ tally }) => ({
    isWrong: ({ isWrong, isStale = false }) => isWrong || isStale,
    tally: (window, attempt, limit) => {
      const due = [...window.tries.values()].find(
        (row) => !row.isWrong && !row.isStale && isDue(row, attempt.now),
      );
      if (due !== undefined) due.isStale = true;
      return tally(window, attempt, limit);
    },
  })),
  'settling what is due anyway writes nothing': tabled(({ settleIn }, tables) => ({
    settleIn: (window, ticket) => {
      const row = window.tries.get(ticket);
      if (row !== undefined && !isDue(row, tables.latest)) settleIn(window, ticket);
    },
  })),
};

const settling: Sabotages<AttemptCounter> = {
  'settling asks for both windows': tabled(({ settle }, _, steps) => ({
    settle: (ticket) => (steps.windowsOf(ticket).length === 2 ? settle(ticket) : undefined),
  })),
  'settling does not wait for the role': tabled(({ settleIn }) => ({
    settleIn: (window, ticket) => {
      if (isRole(window)) void turns(30).then(() => settleIn(window, ticket));
      else settleIn(window, ticket);
    },
  })),
  'of two settled at once one writes over the other': tabled((_, __, steps) => ({
    settle: async (ticket) => {
      const read = steps
        .windowsOf(ticket)
        .map(
          (window) => [window, new Map([...window.tries].map(([key, row]) => [key, { ...row }]))] as const,
        );
      await turns(1);
      for (const [window, tries] of read) {
        window.tries = tries;
        steps.settleIn(window, ticket);
      }
    },
  })),
  'settling brings dropped windows back': tabled(({ settle }, { tickets, windows }) => ({
    settle: (ticket) => {
      for (const window of tickets.get(ticket) ?? []) {
        if (!windows.has(window.key) && window.tries.has(ticket)) windows.set(window.key, window);
      }
      return settle(ticket);
    },
  })),
};

const forgiving: Sabotages<AttemptCounter> = {
  'forgiving the only try drops the window, also of a wrong one': tabled(({ forgiveIn }, _, steps) => ({
    forgiveIn: (window, ticket) => {
      if (window.tries.size === 1 && window.tries.has(ticket)) steps.drop(window);
      else forgiveIn(window, ticket);
    },
  })),
  'forgiving takes one from the window opened since': tabled(({ forgive }, { tickets, windows }) => ({
    forgive: (ticket) => {
      for (const { key, tries } of tickets.get(ticket) ?? []) {
        const now = windows.get(key);
        const [other] = [...(now?.tries ?? [])].find(([, { isWrong }]) => !isWrong) ?? [];
        if (now?.tries !== tries && other !== undefined) now?.tries.delete(other);
      }
      return forgive(ticket);
    },
  })),
  'forgiving keeps the role’s window': tabled(({ forgiveIn }) => ({
    forgiveIn: (window, ticket) => {
      if (!isRole(window)) forgiveIn(window, ticket);
      else if (window.tries.get(ticket)?.isWrong === false) window.tries.delete(ticket);
    },
  })),
  'forgiving keeps the address while its role has tries': tabled((_, { windows }, steps) => ({
    forgiveIn: (window, ticket) => {
      if (window.tries.get(ticket)?.isWrong === false) window.tries.delete(ticket);
      const isKept = !isRole(window) && windows.has(JSON.stringify([window.role]));
      if (window.tries.size === 0 && !isKept) steps.drop(window);
    },
  })),
  'forgiving the first try moves the window to the next': tabled(({ forgiveIn }) => ({
    forgiveIn: (window, ticket) => {
      forgiveIn(window, ticket);
      const first = Math.min(...[...window.tries.values()].map(({ begun }) => begun));
      if (window.tries.size === 0 || first <= window.opened) return;
      window.until = (window.until + first - window.opened) as Instant;
      window.opened = first as Instant;
    },
  })),
  'forgiving drops the window that it saw empty': tabled((_, __, steps) => ({
    forgive: async (ticket) => {
      const counting = steps.windowsOf(ticket).filter(({ tries }) => tries.get(ticket)?.isWrong === false);
      for (const { tries } of counting) tries.delete(ticket);
      const empty = counting.filter(({ tries }) => tries.size === 0);
      await turns(1);
      for (const window of empty) steps.drop(window);
    },
  })),
};

const purging: Sabotages<AttemptCounter> = {
  'purging a role’s window drops its addresses’': tabled(({ purge }, { windows }, steps) => ({
    purge: (by, limit) => {
      const roles = steps.ended(by).slice(0, limit).filter(isRole);
      const dropped = purge(by, limit);
      for (const window of windows.values()) {
        if (roles.some(({ role }) => role === window.role)) steps.drop(window);
      }
      return dropped;
    },
  })),
  'purging one window of a try forgets its ticket': tabled(({ drop }, { tickets }, steps) => ({
    purge: (by, limit) => {
      const gone = steps.ended(by).slice(0, limit);
      for (const window of gone) {
        for (const ticket of window.tries.keys()) tickets.delete(ticket);
        drop(window);
      }
      return gone.length;
    },
  })),
  'purging drops all that ended of the roles it meets': tabled(({ purge }, _, steps) => ({
    purge: (by, limit) => {
      const roles = new Set(
        steps
          .ended(by)
          .slice(0, limit)
          .map(({ role }) => role),
      );
      const dropped = purge(by, limit);
      for (const window of steps.ended(by)) if (roles.has(window.role)) steps.drop(window);
      return dropped;
    },
  })),
  'purging goes on after the last end of each hundred': tabled((_, __, steps) => ({
    purge: (by, limit) => {
      let dropped = 0;
      for (let last = Number.NEGATIVE_INFINITY; dropped < limit; ) {
        const page = steps
          .ended(by)
          .filter(({ until }) => until > last)
          .sort((a, b) => a.until - b.until)
          .slice(0, Math.min(100, limit - dropped));
        if (page.length === 0) break;
        last = Math.max(...page.map(({ until }) => until));
        for (const window of page) steps.drop(window);
        dropped += page.length;
      }
      return dropped;
    },
  })),
  'purging drops 999 at most': tabled(({ purge }) => ({
    purge: (by, limit) => purge(by, Math.min(limit, 999)),
  })),
  'purging none drops all': tabled(({ purge }) => ({
    purge: (by, limit) => purge(by, limit || Number.POSITIVE_INFINITY),
  })),
  'what ended stays while a try of it is under way': tabled(({ ended }) => ({
    ended: (by) => ended(by).filter(({ tries }) => [...tries.values()].every(({ isWrong }) => isWrong)),
  })),
  'what ended stays while its role has another window': tabled(({ ended }, { windows }) => ({
    ended: (by) =>
      ended(by).filter(({ role }) =>
        [...windows.values()].every((other) => other.role !== role || other.until <= by),
      ),
  })),
  'purging drops by name what ended when it looked': tabled(({ drop }, _, steps) => ({
    purge: async (by, limit) => {
      const gone = steps.ended(by).slice(0, limit);
      await turns(1);
      for (const window of gone) drop(window);
      return gone.length;
    },
  })),
};

const unreachable: Sabotages<AttemptCounter> = {
  'purging none asks nobody': does('purge', async (store, by, limit) =>
    limit === 0 ? 0 : store.purge(by, limit),
  ),
  'a breaker does not say what opened it': () => (store) => {
    let isOpen = false;
    const broken =
      <Inputs extends unknown[], Answer>(call: (...inputs: Inputs) => Promise<Answer>) =>
      async (...inputs: Inputs): Promise<Answer> => {
        if (isOpen) throw new Fault('store_unavailable', 'the breaker is open');
        return call(...inputs).catch((error: unknown) => {
          isOpen = true;
          throw error;
        });
      };
    return {
      begin: broken(store.begin),
      settle: broken(store.settle),
      forgive: broken(store.forgive),
      purge: broken(store.purge),
      countEnded: broken(store.countEnded),
    };
  },
};

/** Ways that are wrong after a try began. */
export const sixthAttemptsEnded: Sabotages<AttemptCounter> = {
  ...unsettled,
  ...settling,
  ...forgiving,
  ...purging,
  ...unreachable,
};
