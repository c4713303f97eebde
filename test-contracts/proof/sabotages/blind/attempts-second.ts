import type { Attempt } from '@pinfold/core';
import { type AttemptCounter, type AttemptOutcome, Fault, type Instant, type RoleId } from '@pinfold/core';
import type { AttemptTally } from '@pinfold/core/adapter';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from '../ways.ts';
import { type Steps, stepping, type Window } from './attempts-second-counter.ts';
import { secondAttemptsEnds } from './attempts-second-ends.ts';
import { secondAttemptsWindows } from './attempts-second-windows.ts';

const { asks, does } = waysOf<AttemptCounter>();

const addressesAre = (change: (address: string) => string): Spoiling<AttemptCounter> =>
  asks('begin', (attempt) => [{ ...attempt, address: change(attempt.address) }]);

const isRoles = ({ key, role }: Window): boolean => key === JSON.stringify([role]);

/** The open windows of a role's addresses. */
const addressesOf = (steps: Steps, { role, now }: Attempt): readonly Window[] =>
  [...steps.windows.values()].filter((one) => one.role === role && !isRoles(one) && one.until > now);

/** Windows as if they were one. */
function together(tallies: readonly AttemptTally[]): readonly AttemptTally[] {
  const sum = (of: 'tries' | 'underWay'): number => tallies.reduce((all, tally) => all + tally[of], 0);
  const endsAt = Math.max(...tallies.map((tally) => tally.endsAt)) as Instant;
  return tallies
    .slice(0, 1)
    .map(({ limit }) => ({ endsAt, tries: sum('tries'), underWay: sum('underWay'), limit }));
}

const distinct = (window: Window, isCounted: (begun: number | 'wrong') => boolean): number =>
  new Set(
    [...window.counted].filter(([, begun]) => isCounted(begun)).map(([ticket]) => JSON.parse(ticket)[2]),
  ).size;

const roomLeft = ({ tries, limit }: AttemptTally): boolean => tries < limit;

const isBusy = ({ tries, underWay, limit }: AttemptTally): boolean =>
  tries >= limit && tries - underWay < limit;

export const secondAttempts: Sabotages<AttemptCounter> = {
  ...secondAttemptsWindows,
  ...secondAttemptsEnds,
  'wide letters and digits are narrow ones': addressesAre((address) => address.normalize('NFKC')),
  'what needs four bytes is a question mark': addressesAre((address) =>
    address.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
  ),
  'addresses that look like numbers are numbers': addressesAre((address) =>
    address.trim() !== '' && Number.isFinite(Number(address)) ? String(Number(address)) : address,
  ),
  'the groups of an address lose zeros before them': addressesAre((address) =>
    address.replace(/\b0+(?=[0-9a-f])/g, ''),
  ),
  'long addresses lose their middle': addressesAre((address) =>
    address.length > 200 ? `${address.slice(0, 100)}…${address.slice(-100)}` : address,
  ),
  'addresses have 65535 characters': addressesAre((address) => address.slice(0, 65_535)),
  'an address with a zero character cannot be kept': does('begin', async (counter, attempt) => {
    if (attempt.address.includes('\0')) throw new Fault('store_unavailable', 'invalid byte sequence');
    return counter.begin(attempt);
  }),
  'addresses are properties of an object': asks('begin', (attempt) => [
    attempt.address === '__proto__' ? { ...attempt, perAddress: Number.POSITIVE_INFINITY } : attempt,
  ]),
  'roles are without their last digit': asks('begin', (attempt) => [
    { ...attempt, role: attempt.role.slice(0, -1) as RoleId },
  ]),
  'no address is the role': stepping((_, { keys }) => ({
    keys: ({ role, address }) => {
      const [ofRole, ofAddress] = keys({ role, address });
      return address === '' ? [ofRole, ofRole] : [ofRole, ofAddress];
    },
  })),
  'an address has the tries of those that begin with it': stepping((steps) => ({
    tallies: (attempt) => {
      const role = steps.at(steps.keys(attempt)[0], attempt.now);
      const alike = addressesOf(steps, attempt).filter(({ opener }) =>
        opener.address.startsWith(attempt.address),
      );
      return [
        ...(role === undefined ? [] : [steps.tally(role, attempt.perRole, attempt)]),
        ...together(alike.map((window) => steps.tally(window, attempt.perAddress, attempt))),
      ];
    },
  })),
  'the limit of a role is what its window opened with': stepping((_, { tally }) => ({
    tally: (window, limit, attempt) =>
      tally(window, isRoles(window) ? window.opener.perRole : limit, attempt),
  })),
  'a role counts addresses': stepping((steps, { tally }) => ({
    tally: (window, limit, attempt) => {
      if (!isRoles(window)) return tally(window, limit, attempt);
      const tries = distinct(window, () => true);
      const wrong = distinct(window, (begun) => !steps.isUnderWay(begun, attempt.now, window));
      return { ...tally(window, limit, attempt), tries, underWay: tries - wrong };
    },
  })),
  'a role counts those under way of the same address alone': stepping((steps, { tally }) => ({
    tally: (window, limit, attempt) => {
      const all = tally(window, limit, attempt);
      const others = [...window.counted].filter(
        ([ticket, begun]) =>
          JSON.parse(ticket)[2] !== attempt.address && steps.isUnderWay(begun, attempt.now, window),
      ).length;
      return { ...all, tries: all.tries - others, underWay: all.underWay - others };
    },
  })),
  'a role has the tries of the open windows of its addresses': stepping((steps, { tallies }) => ({
    tallies: (attempt) => [
      ...together(addressesOf(steps, attempt).map((one) => steps.tally(one, attempt.perRole, attempt))),
      ...tallies({ ...attempt, perRole: Number.POSITIVE_INFINITY }),
    ],
  })),
  'a window keeps the last 500 tries': stepping((steps, { count }) => ({
    count: (key, ticket, attempt) => {
      count(key, ticket, attempt);
      const counted = steps.at(key, attempt.now)?.counted ?? new Map();
      if (counted.size > 500) counted.delete([...counted.keys()][0]);
    },
  })),
  'who has to wait is not told of the other limit': stepping((_, { judge }) => ({
    judge: (tallies, attempt) => (tallies.some(isBusy) ? { kind: 'busy' } : judge(tallies, attempt)),
  })),
  'a limited try is told the end of a window that has room': stepping((_, { judge }) => ({
    judge: (tallies, attempt) => {
      const refusal = judge(tallies, attempt);
      if (refusal?.kind !== 'limited') return refusal;
      return { kind: 'limited', until: Math.max(...tallies.map(({ endsAt }) => endsAt)) as Instant };
    },
  })),
  'a busy address keeps others waiting': stepping((steps, { judge }) => ({
    judge: (tallies, attempt) =>
      judge(tallies, attempt) ??
      (addressesOf(steps, attempt).some((one) => isBusy(steps.tally(one, attempt.perAddress, attempt)))
        ? { kind: 'busy' }
        : undefined),
  })),
  'a try that its role limits opens the window of its address': stepping((steps, { begin }) => ({
    begin: (attempt) => {
      const outcome = begin(attempt);
      const [, address] = steps.keys(attempt);
      if (outcome.kind === 'limited' && !steps.at(address, attempt.now)) steps.open(address, attempt);
      return outcome;
    },
  })),
  'a try that its address keeps waiting is under way for its role': stepping((steps, { begin }) => ({
    begin: (attempt): AttemptOutcome => {
      const [ofRole] = steps.tallies(attempt);
      const outcome = begin(attempt);
      if (outcome.kind === 'busy' && ofRole && roomLeft(ofRole)) {
        steps.count(steps.keys(attempt)[0], steps.ticket(attempt), attempt);
      }
      return outcome;
    },
  })),
  'a limited try begins its window again': stepping((steps, { begin }) => ({
    begin: (attempt) => {
      const outcome = begin(attempt);
      const windows = steps.keys(attempt).map((key) => steps.at(key, attempt.now));
      for (const window of outcome.kind === 'limited' ? windows : []) {
        if (window && window.until === (outcome as { until?: Instant }).until)
          window.until = attempt.now + attempt.window;
      }
      return outcome;
    },
  })),
};
