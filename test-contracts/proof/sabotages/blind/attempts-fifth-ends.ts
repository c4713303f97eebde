import type { Attempt, AttemptCounter } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import type { Sabotages } from '../ways.ts';
import { Steps, stepping, type Window } from './attempts-second-counter.ts';

/** What a ticket's try was, of which nothing may be kept any more. */
type TryOf = (ticket: string) => Attempt | undefined;

/** Ends tries otherwise. */
const ending = (
  way: 'settle' | 'forgive',
  instead: (ticket: string, windows: readonly Window[], steps: Steps, sound: Steps, tryOf: TryOf) => void,
): Spoiling<AttemptCounter> =>
  stepping((steps, sound) => {
    const begun = new Map<string, Attempt>();
    const windowsOf = (ticket: string) => steps.windowsOf(ticket).filter((window) => window !== undefined);
    return {
      ticket: (attempt) => {
        const ticket = sound.ticket(attempt);
        begun.set(ticket, { ...attempt });
        return ticket;
      },
      [way]: (ticket: string) =>
        instead(ticket, windowsOf(ticket), steps, sound, (other) => begun.get(other)),
    };
  });

/** Ends another try of each window, which from then on is named by the other's ticket. */
const takingAnother = (way: 'settle' | 'forgive', at: 0 | -1) =>
  ending(way, (ticket, windows, _, sound) => {
    for (const { counted } of windows) {
      const underWay = [...counted].filter(([, begun]) => begun !== 'wrong');
      const [other, begun] = underWay.sort(([, one], [, next]) => Number(one) - Number(next)).at(at) ?? [];
      const mine = counted.get(ticket);
      if (other === undefined || begun === undefined || mine === undefined || mine === 'wrong') continue;
      counted.set(other, mine);
      counted.set(ticket, begun);
    }
    sound[way](ticket);
  });

/** Settling and forgiving, wrong in the rows of a table. */
export const fifthEnds: Sabotages<AttemptCounter> = {
  'settling needs both windows': ending('settle', (ticket, windows, _, sound) => {
    if (windows.filter(({ counted }) => counted.has(ticket)).length === 2) sound.settle(ticket);
  }),
  'forgiving needs both windows': ending('forgive', (ticket, windows, _, sound) => {
    if (windows.filter(({ counted }) => counted.has(ticket)).length === 2) sound.forgive(ticket);
  }),
  'a handle knows only the tries that it settled itself as wrong': () => {
    let kept = new Steps();
    const open = stepping((steps) => {
      kept = steps;
      return {};
    })();
    return (store) => {
      const [port, own] = [open(store), new Set<string>()];
      return {
        ...port,
        settle: async (ticket) => {
          own.add(ticket);
          await port.settle?.(ticket);
        },
        forgive: async (ticket) => {
          for (const window of kept.windowsOf(ticket)) if (!own.has(ticket)) window?.counted.delete(ticket);
          await port.forgive?.(ticket);
        },
      };
    };
  },
  'settling takes the oldest try under way': takingAnother('settle', 0),
  'forgiving takes the youngest try under way': takingAnother('forgive', -1),
  'forgiving the try that opened a window ends it': ending('forgive', (ticket, windows, steps, sound) => {
    for (const { key, openedAt, counted } of windows) {
      if (counted.get(ticket) === openedAt) steps.windows.delete(key);
    }
    sound.forgive(ticket);
  }),
  'a window ends by its oldest try that was not forgiven': ending(
    'forgive',
    (ticket, windows, _, sound, tryOf) => {
      sound.forgive(ticket);
      for (const window of windows) {
        const left = [...window.counted.keys()].map((other) => tryOf(other)?.now ?? 0);
        if (left.length > 0) window.until = Math.min(...left) + window.opener.window;
      }
    },
  ),
  'an address is kept with nothing left while its role has tries': ending(
    'forgive',
    (ticket, windows, steps, sound) => {
      sound.forgive(ticket);
      if ((windows[0]?.counted.size ?? 0) > 0)
        for (const window of windows) steps.windows.set(window.key, window);
    },
  ),
  'what is forgiven after the end stays with nothing left': ending(
    'forgive',
    (ticket, windows, steps, sound) => {
      const latest = Math.max(...[...steps.windows.values()].map(({ openedAt }) => openedAt));
      sound.forgive(ticket);
      for (const window of windows) if (window.until <= latest) steps.windows.set(window.key, window);
    },
  ),
  'settling counts against a window of the role opened since': ending(
    'settle',
    (ticket, windows, _, sound, tryOf) => {
      const [role] = windows;
      if (role !== undefined && role.openedAt > (tryOf(ticket)?.now ?? 0)) role.counted.set(ticket, 'wrong');
      sound.settle(ticket);
    },
  ),
  'settling writes a window that was dropped again': stepping((steps, sound) => {
    const gone = new Map<string, Window>();
    return {
      purge: (by, limit) => {
        for (const window of steps.ended(by).slice(0, limit)) {
          for (const ticket of window.counted.keys()) gone.set(ticket, window);
        }
        return sound.purge(by, limit);
      },
      settle: (ticket) => {
        const window = gone.get(ticket);
        if (window !== undefined && !steps.windows.has(window.key)) steps.windows.set(window.key, window);
        sound.settle(ticket);
      },
    };
  }),
  'a forgiven try leaves a row until its window ends': ending('forgive', (ticket, windows, steps, sound) => {
    const ofAddress = windows.find(
      ({ key, role, counted }) => counted.has(ticket) && key !== JSON.stringify([role]),
    );
    if (ofAddress !== undefined) steps.windows.set(ticket, { ...ofAddress, key: ticket, counted: new Map() });
    sound.forgive(ticket);
  }),
};
