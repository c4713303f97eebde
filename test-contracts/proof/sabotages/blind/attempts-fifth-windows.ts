import {
  type AttemptCounter,
  type AttemptTicket,
  after,
  duration,
  type Instant,
  instant,
} from '@pinfold/core';
import type { AttemptTally } from '@pinfold/core/adapter';
import type { Sabotages } from '../ways.ts';
import { tabling, type Window, windowOf } from './attempts-fifth-counter.ts';

const wrong = ({ tries, underWay }: AttemptTally): number => tries - underWay;
const isBusy = (tally: AttemptTally | undefined): boolean =>
  tally !== undefined && tally.tries >= tally.limit && wrong(tally) < tally.limit;
const begunIn = ({ tries }: Window): readonly Instant[] =>
  [...tries.values()].filter((begun) => begun !== 'wrong');
const MINUTE = 60_000;

/** Windows, limits and the age of tries, wrong in the rows of a table. */
export const fifthWindows: Sabotages<AttemptCounter> = {
  'an empty address is kept as none': tabling((_, { addressKey }) => ({
    addressKey: (attempt) => (attempt.address === '' ? JSON.stringify([attempt.role]) : addressKey(attempt)),
  })),
  'a window keeps the limits of its first try': tabling((_, { tally }) => ({
    tally: (window, _limit, now) => tally(window, window.limit, now),
  })),
  'no more than 255 tries are read of a window': tabling((_, { tally }) => ({
    tally: (window, limit, now) => {
      const { tries, ...rest } = tally(window, limit, now);
      return { ...rest, tries: Math.min(tries, 255) };
    },
  })),
  'a limited try is told the end of a window that is busy': tabling((_, { refuse }) => ({
    refuse: (open) => {
      const full = open.filter(({ tries, limit }) => tries >= limit);
      return refuse(open)?.kind === 'limited'
        ? { kind: 'limited', until: instant(Math.max(...full.map(({ endsAt }) => endsAt))) }
        : refuse(open);
    },
  })),
  'a limited try is told the end of any open window': tabling((_, { refuse }) => ({
    refuse: (open) =>
      refuse(open)?.kind === 'limited'
        ? { kind: 'limited', until: instant(Math.max(...open.map(({ endsAt }) => endsAt))) }
        : refuse(open),
  })),
  'a role that is busy hides that the address is limited': tabling((_, { refuse }) => ({
    refuse: (open) => (isBusy(open[0]) ? { kind: 'busy' } : refuse(open)),
  })),
  'an address that is busy hides that the role is limited': tabling((_, { refuse }) => ({
    refuse: (open) => (open.length === 2 && isBusy(open[1]) ? { kind: 'busy' } : refuse(open)),
  })),
  'an upsert keeps the earlier end': tabling(() => ({
    counted: (window, attempt) => {
      window.until = instant(Math.min(window.until, attempt.now + attempt.window));
    },
  })),
  'a window is not open before it opened': tabling((_, { isOpen }) => ({
    isOpen: (window, now) => window.opened <= now && isOpen(window, now),
  })),
  'a try that began a minute later is wrong as well': tabling(() => ({
    isUnderWay: (begun, now) => Math.abs(now - begun) < MINUTE,
  })),
  'the youngest try under way tells the age of all': tabling((_, { isUnderWay }) => ({
    isUnderWay: (_begun, now, window) => isUnderWay(instant(Math.max(...begunIn(window))), now, window),
  })),
  'a try is as old as its window': tabling((_, { isUnderWay }) => ({
    isUnderWay: (_begun, now, window) => isUnderWay(window.opened, now, window),
  })),
  'only the tries of addresses grow old': tabling((_, { isUnderWay }) => ({
    isUnderWay: (begun, now, window) => window.isRole || isUnderWay(begun, now, window),
  })),
  'what grew old is settled on the way': tabling((_, { isUnderWay, tally }) => ({
    tally: (window, limit, now) => {
      for (const [ticket, begun] of window.tries) {
        if (begun !== 'wrong' && !isUnderWay(begun, now, window)) window.tries.set(ticket, 'wrong');
      }
      return tally(window, limit, now);
    },
  })),
  'a busy try opens an empty window for what does not keep it waiting': tabling(
    ({ windows }, { addressKey, isOpen }) => ({
      refused: (attempt, { kind }) => {
        for (const key of [JSON.stringify([attempt.role]), addressKey(attempt)]) {
          const old = windows.get(key);
          if (kind !== 'busy' || (old !== undefined && isOpen(old, attempt.now))) continue;
          windows.set(key, windowOf(attempt, key, key !== addressKey(attempt)));
        }
      },
    }),
  ),
  'tries under way are carried into the next window': tabling(() => ({
    renews: (old, window) => {
      for (const [ticket, begun] of old.tries) if (begun !== 'wrong') window.tries.set(ticket, begun);
    },
  })),
  'a role has the tries of the open windows of its addresses': tabling(({ windows }, { isOpen, tally }) => ({
    tally: (window, limit, now) => {
      if (!window.isRole) return tally(window, limit, now);
      const tries = [...windows.values()]
        .filter((other) => !other.isRole && other.role === window.role && isOpen(other, now))
        .flatMap((other) => [...other.tries]);
      return tally({ ...window, tries: new Map(tries) }, limit, now);
    },
  })),
  'a new window of a role replaces those of its addresses': tabling(({ windows }) => ({
    renews: (old) => {
      for (const { key, isRole, role } of windows.values()) {
        if (old.isRole && !isRole && role === old.role) windows.delete(key);
      }
    },
  })),
  'a new window of an address takes the tries of the old one with it': tabling(({ windows }) => ({
    renews: ({ isRole, role, tries }) => {
      if (isRole) return;
      for (const ticket of tries.keys()) windows.get(JSON.stringify([role]))?.tries.delete(ticket);
    },
  })),
  'a ticket is one more than the greatest kept': tabling(({ windows }) => ({
    name: () => {
      const kept = [...windows.values()].flatMap(({ tries }) => [...tries.keys()].map(Number));
      return `${Math.max(0, ...kept) + 1}` as AttemptTicket;
    },
  })),
  'each handle numbers its own tickets': tabling(() => {
    let last = 0;
    return {
      name: () => {
        last += 1;
        return `${last}` as AttemptTicket;
      },
    };
  }),
  'ended windows with tries under way stay': tabling((_, { hasEnded }) => ({
    hasEnded: (window, by) => hasEnded(window, by) && begunIn(window).length === 0,
  })),
  'dropping a window of an address drops its tries from the role': tabling(({ windows }) => ({
    dropped: ({ isRole, role, tries }) => {
      if (isRole) return;
      for (const ticket of tries.keys()) windows.get(JSON.stringify([role]))?.tries.delete(ticket);
    },
  })),
  'dropping a window of a role drops those of its addresses': tabling(({ windows }) => ({
    dropped: (gone) => {
      for (const { key, role } of windows.values())
        if (gone.isRole && role === gone.role) windows.delete(key);
    },
  })),
  'what ended of a role is dropped whole, whatever the limit': tabling(({ windows }) => ({
    dropped: ({ role, until }) => {
      for (const other of windows.values()) {
        if (other.role === role && other.until <= until) windows.delete(other.key);
      }
    },
  })),
  'a window ends with the second': tabling((_, { isOpen }) => ({
    isOpen: (window, now) => isOpen(window, after(now, duration(999 - (((now % 1000) + 1000) % 1000)))),
  })),
};
