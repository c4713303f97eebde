import { type AttemptCounter, type AttemptTicket, instant } from '@pinfold/core';
import type { Sabotages } from '../ways.ts';
import { type Tables, tabling, type Window, windowOf } from './attempts-fifth-counter.ts';

/** Names two tries each by the other's ticket. */
function swap({ tries }: Window, one: AttemptTicket, other: AttemptTicket): void {
  const [first, second] = [tries.get(one), tries.get(other)];
  if (first === undefined || second === undefined) return;
  tries.set(one, second);
  tries.set(other, first);
}

/** The tries under way of a window, in the order in which they began. */
const underWay = ({ tries }: Window): readonly AttemptTicket[] =>
  [...tries]
    .filter(([, begun]) => begun !== 'wrong')
    .sort(([, one], [, other]) => Number(one) - Number(other))
    .map(([ticket]) => ticket);

const begunAt = ({ tries }: Tables, ticket: AttemptTicket): number => Number(tries.get(ticket)?.now);

/** Settling and forgiving, wrong in the rows of a table. */
export const fifthEnds: Sabotages<AttemptCounter> = {
  'settling needs both windows': tabling((_, { settles }) => ({
    settles: (ticket, windows) => {
      if (windows.filter(({ tries }) => tries.has(ticket)).length === 2) settles(ticket, windows);
    },
  })),
  'forgiving needs both windows': tabling((_, { forgives }) => ({
    forgives: (ticket, windows) => {
      if (windows.filter(({ tries }) => tries.has(ticket)).length === 2) forgives(ticket, windows);
    },
  })),
  'a handle knows only the tries that it settled itself as wrong': tabling((_, { settles, forgives }) => {
    const own = new Set<AttemptTicket>();
    return {
      settles: (ticket, windows) => {
        own.add(ticket);
        settles(ticket, windows);
      },
      forgives: (ticket, windows) => {
        for (const { tries } of windows) if (!own.has(ticket)) tries.delete(ticket);
        forgives(ticket, windows);
      },
    };
  }),
  'settling takes the oldest try under way': tabling((_, { settles }) => ({
    settles: (ticket, windows) => {
      for (const window of windows) {
        if (window.tries.get(ticket) !== 'wrong') swap(window, ticket, underWay(window)[0] ?? ticket);
      }
      settles(ticket, windows);
    },
  })),
  'forgiving takes the youngest try under way': tabling((_, { forgives }) => ({
    forgives: (ticket, windows) => {
      for (const window of windows) {
        if (window.tries.get(ticket) !== 'wrong') swap(window, ticket, underWay(window).at(-1) ?? ticket);
      }
      forgives(ticket, windows);
    },
  })),
  'forgiving the try that opened a window ends it': tabling(({ windows: kept }, { forgives }) => ({
    forgives: (ticket, windows) => {
      for (const { key, opened, tries } of windows) if (tries.get(ticket) === opened) kept.delete(key);
      forgives(ticket, windows);
    },
  })),
  'a window ends by its oldest try that was not forgiven': tabling((tables, { forgives }) => ({
    forgives: (ticket, windows) => {
      forgives(ticket, windows);
      for (const window of windows) {
        const oldest = Math.min(...[...window.tries.keys()].map((other) => begunAt(tables, other)));
        if (window.tries.size > 0) window.until = instant(oldest + window.length);
      }
    },
  })),
  'an address is kept with nothing left while its role has tries': tabling(
    ({ windows: kept }, { forgives }) => ({
      forgives: (ticket, windows) => {
        forgives(ticket, windows);
        if (windows.some(({ isRole, tries }) => isRole && tries.size > 0)) {
          for (const window of windows) kept.set(window.key, window);
        }
      },
    }),
  ),
  'what is forgiven after the end stays with nothing left': tabling(
    ({ windows: kept, tries }, { forgives }) => ({
      forgives: (ticket, windows) => {
        forgives(ticket, windows);
        const latest = Math.max(...[...tries.values()].map(({ now }) => now));
        for (const window of windows) if (window.until <= latest) kept.set(window.key, window);
      },
    }),
  ),
  'settling counts against a window of the role opened since': tabling((tables, { settles }) => ({
    settles: (ticket, windows) => {
      for (const { isRole, opened, tries } of windows) {
        if (isRole && opened > begunAt(tables, ticket)) tries.set(ticket, 'wrong');
      }
      settles(ticket, windows);
    },
  })),
  'settling writes a window that was dropped again': tabling((tables, { addressKey, settles, forgives }) => {
    const forgiven = new Set<AttemptTicket>();
    return {
      settles: (ticket, windows) => {
        settles(ticket, windows);
        const attempt = tables.tries.get(ticket);
        if (attempt === undefined || windows.length > 0 || forgiven.has(ticket)) return;
        const window = windowOf(attempt, addressKey(attempt), false);
        window.tries.set(ticket, 'wrong');
        tables.windows.set(window.key, window);
      },
      forgives: (ticket, windows) => {
        forgiven.add(ticket);
        forgives(ticket, windows);
      },
    };
  }),
  'a forgiven try leaves a row until its window ends': tabling(({ windows: kept }, { forgives }) => ({
    forgives: (ticket, windows) => {
      for (const window of windows) {
        if (!window.isRole && window.tries.has(ticket))
          kept.set(ticket, { ...window, key: ticket, tries: new Map() });
      }
      forgives(ticket, windows);
    },
  })),
};
