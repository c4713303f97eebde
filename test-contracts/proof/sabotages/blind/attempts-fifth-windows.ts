import { type AttemptCounter, type AttemptTicket, instant } from '@pinfold/core';
import type { AttemptTally } from '@pinfold/core/adapter';
import type { Sabotages } from '../ways.ts';
import { type Steps, stepping, type Window } from './attempts-second-counter.ts';

const isBusy = (tally: AttemptTally | undefined): boolean =>
  tally !== undefined && tally.tries >= tally.limit && tally.tries - tally.underWay < tally.limit;
const begunIn = ({ counted }: Window): readonly number[] =>
  [...counted.values()].filter((begun) => begun !== 'wrong');
const isRole = ({ key, role }: Window): boolean => key === JSON.stringify([role]);
const MINUTE = 60_000;

/** Who is limited is told the latest end of some windows. */
const telling = (which: (tally: AttemptTally) => boolean) =>
  stepping((_, sound) => ({
    judge: (open, attempt) => {
      const refusal = sound.judge(open, attempt);
      const ends = open.filter(which).map(({ endsAt }) => endsAt);
      return refusal?.kind === 'limited' ? { ...refusal, until: instant(Math.max(...ends)) } : refusal;
    },
  }));

/** Tries are under way for another time. */
const aging = (isUnderWay: (begun: number, now: number, window: Window, sound: Steps) => boolean) =>
  stepping((_, sound) => ({
    isUnderWay: (begun, now, window) => begun !== 'wrong' && isUnderWay(begun, now, window, sound),
  }));

/** Something else happens when a window takes the place of one that ended. */
const renewing = (also: (steps: Steps, old: Window, window: Window) => void) =>
  stepping((steps, sound) => ({
    open: (key, attempt) => {
      const old = steps.windows.get(key);
      const window = sound.open(key, attempt);
      if (old !== undefined) also(steps, old, window);
      return window;
    },
  }));

/** Something else goes with a window that is dropped. */
const dropping = (also: (steps: Steps, gone: Window) => void) =>
  stepping((steps, sound) => ({
    purge: (by, limit) => {
      const gone = steps.ended(by).slice(0, limit);
      const count = sound.purge(by, limit);
      for (const window of gone) also(steps, window);
      return count;
    },
  }));

function dropTriesOf({ windows }: Steps, gone: Window): void {
  const ofRole = isRole(gone) ? undefined : windows.get(JSON.stringify([gone.role]));
  for (const ticket of gone.counted.keys()) ofRole?.counted.delete(ticket);
}

function dropAddressesOf({ windows }: Steps, gone: Window): void {
  if (!isRole(gone)) return;
  for (const window of windows.values()) {
    if (window.role === gone.role && !isRole(window)) windows.delete(window.key);
  }
}

/** Windows, limits and the age of tries, wrong in the rows of a table. */
export const fifthWindows: Sabotages<AttemptCounter> = {
  'an empty address is kept as none': stepping((_, sound) => ({
    keys: (attempt) => {
      const [role, address] = sound.keys(attempt);
      return [role, attempt.address === '' ? role : address];
    },
  })),
  'a window keeps the limits of its first try': stepping((_, sound) => ({
    tally: (window, _limit, attempt) => {
      const { perRole, perAddress } = window.opener;
      return sound.tally(window, isRole(window) ? perRole : perAddress, attempt);
    },
  })),
  'no more than 255 tries are read of a window': stepping((_, sound) => ({
    tally: (...inputs) => {
      const { tries, ...rest } = sound.tally(...inputs);
      return { ...rest, tries: Math.min(tries, 255) };
    },
  })),
  'a limited try is told the end of a window that is busy': telling(({ tries, limit }) => tries >= limit),
  'a limited try is told the end of any open window': telling(() => true),
  'a role that is busy hides that the address is limited': stepping((_, sound) => ({
    judge: (open, attempt) => (isBusy(open[0]) ? { kind: 'busy' } : sound.judge(open, attempt)),
  })),
  'an address that is busy hides that the role is limited': stepping((_, sound) => ({
    judge: (open, attempt) => (isBusy(open[1]) ? { kind: 'busy' } : sound.judge(open, attempt)),
  })),
  'an upsert keeps the earlier end': stepping((steps, sound) => ({
    count: (key, ticket, attempt) => {
      sound.count(key, ticket, attempt);
      const window = steps.windows.get(key);
      if (window !== undefined) window.until = Math.min(window.until, attempt.now + attempt.window);
    },
  })),
  'a window is not open before it opened': stepping((_, sound) => ({
    at: (key, now) => {
      const window = sound.at(key, now);
      return window !== undefined && window.openedAt <= now ? window : undefined;
    },
  })),
  'a window ends with the second': stepping((_, sound) => ({
    at: (key, now) => sound.at(key, Math.floor(now / 1_000) * 1_000 + 999),
  })),
  'a try that began a minute later is wrong as well': aging((begun, now) => Math.abs(now - begun) < MINUTE),
  'the youngest try under way tells the age of all': aging((_, now, window, sound) =>
    sound.isUnderWay(Math.max(...begunIn(window)), now, window),
  ),
  'a try is as old as its window': aging((_, now, window, sound) =>
    sound.isUnderWay(window.openedAt, now, window),
  ),
  'only the tries of addresses grow old': aging(
    (begun, now, window, sound) => isRole(window) || sound.isUnderWay(begun, now, window),
  ),
  'what grew old is settled on the way': stepping((_, sound) => ({
    tally: (window, limit, attempt) => {
      for (const [ticket, begun] of window.counted) {
        if (!sound.isUnderWay(begun, attempt.now, window)) window.counted.set(ticket, 'wrong');
      }
      return sound.tally(window, limit, attempt);
    },
  })),
  'a busy try opens an empty window for what does not keep it waiting': stepping((steps, sound) => ({
    judge: (open, attempt) => {
      const refusal = sound.judge(open, attempt);
      for (const key of steps.keys(attempt)) {
        if (refusal?.kind === 'busy' && steps.at(key, attempt.now) === undefined) steps.open(key, attempt);
      }
      return refusal;
    },
  })),
  'tries under way are carried into the next window': renewing((_, old, window) => {
    for (const [ticket, begun] of old.counted) if (begun !== 'wrong') window.counted.set(ticket, begun);
  }),
  'a new window of a role replaces those of its addresses': renewing(dropAddressesOf),
  'a new window of an address takes the tries of the old one with it': renewing(dropTriesOf),
  'a role has the tries of the open windows of its addresses': stepping((steps, sound) => ({
    tally: (window, limit, attempt) => {
      if (!isRole(window)) return sound.tally(window, limit, attempt);
      const counted = [...steps.windows.values()]
        .filter((other) => !isRole(other) && other.role === window.role && other.until > attempt.now)
        .flatMap((other) => [...other.counted]);
      return sound.tally({ ...window, counted: new Map(counted) }, limit, attempt);
    },
  })),
  'a ticket is one more than the greatest kept': stepping(({ windows }) => ({
    ticket: ({ role, address }) => {
      const kept = [...windows.values()].flatMap(({ counted }) => [...counted.keys()]);
      return JSON.stringify([Math.max(0, ...kept.map((ticket) => JSON.parse(ticket)[0])) + 1, role, address]);
    },
  })),
  'each handle numbers its own tickets': () => {
    const known = new Map<string, AttemptTicket>();
    return (store) => {
      let last = 0;
      const end = (way: 'settle' | 'forgive') => (ticket: AttemptTicket) =>
        store[way](known.get(ticket) ?? ticket);
      return {
        begin: async (attempt) => {
          const outcome = await store.begin(attempt);
          if (outcome.kind !== 'admitted') return outcome;
          last += 1;
          known.set(`${last}`, outcome.ticket);
          return { ...outcome, ticket: `${last}` as AttemptTicket };
        },
        settle: end('settle'),
        forgive: end('forgive'),
      };
    };
  },
  'ended windows with tries under way stay': stepping((_, sound) => ({
    ended: (by) => sound.ended(by).filter((window) => begunIn(window).length === 0),
  })),
  'dropping a window of an address drops its tries from the role': dropping(dropTriesOf),
  'dropping a window of a role drops those of its addresses': dropping(dropAddressesOf),
  'what ended of a role is dropped whole, whatever the limit': dropping(({ windows }, gone) => {
    for (const { key, role, until } of windows.values()) {
      if (role === gone.role && until <= gone.until) windows.delete(key);
    }
  }),
};
