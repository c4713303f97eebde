import { type Attempt, type AttemptCounter, type AttemptTicket, after, type Instant } from '@pinfold/core';
import { type AttemptTally, refuseAttempt } from '@pinfold/core/adapter';
import { type Sabotages, turns } from '../ways.ts';
import { counting, type Rules, type Window } from './own-counter.ts';

const addressed = (change: (address: string) => string): Partial<Rules> => ({
  addressKey: ({ role, address }) => JSON.stringify([role, change(address)]),
});

const keys: Sabotages<AttemptCounter> = {
  'it compares addresses in small letters': counting(addressed((address) => address.toLowerCase())),
  'it trims addresses': counting(addressed((address) => address.trim())),
  'it keeps 45 characters of an address, as many as the longest has': counting(
    addressed((address) => address.slice(0, 45)),
  ),
  'it compares addresses as normalised text': counting(addressed((address) => address.normalize('NFC'))),
  'its column of addresses makes numbers of what looks like one': counting(
    addressed((address) => (Number.isNaN(Number(address)) ? address : String(Number(address)))),
  ),
  'an address has no quotes around it, nor inside': counting(
    addressed((address) => address.replaceAll("'", '')),
  ),
  'an address is read up to its first blank': counting(
    addressed((address) => address.split(' ', 1)[0] as string),
  ),
  'it counts an address for all roles together': counting({ addressKey: ({ address }) => address }),
  'it counts all addresses of which it was told nothing as none': counting(
    addressed((address) => (address === '' ? crypto.randomUUID() : address)),
  ),
  'it counts tries of a role by the first part of its id': counting({
    roleKey: ({ role }) => role.slice(0, 8),
  }),
  'it counts addresses by the first part of the role': counting({
    addressKey: ({ role, address }) => JSON.stringify([role.slice(0, 8), address]),
  }),
  'it counts an IPv6 address by the first three of its groups': counting(
    addressed((address) => address.split(':').slice(0, 3).join(':')),
  ),
};

const limits: Sabotages<AttemptCounter> = {
  'all addresses have one try more together': counting({
    limits: ({ perRole, perAddress }) => ({ perRole: perRole + 1, perAddress }),
  }),
  'the limit of an address goes no higher than 127': counting({
    limits: ({ perRole, perAddress }) => ({ perRole, perAddress: Math.min(perAddress, 127) }),
  }),
  'the limit of all together goes no higher than 255': counting({
    limits: ({ perRole, perAddress }) => ({ perRole: Math.min(perRole, 255), perAddress }),
  }),
  'a window keeps the limit that it was opened with': counting({}, (own) => ({
    begin: (attempt) => {
      const [role, address] = own.openFor(attempt);
      const { limit: perRole = attempt.perRole } = role ?? {};
      const { limit: perAddress = attempt.perAddress } = address ?? {};
      return own.begin({ ...attempt, perRole, perAddress });
    },
  })),
  'an address is told the end of all addresses together': counting({
    refuse: (tallies) => {
      const refusal = refuseAttempt(tallies);
      return refusal?.kind === 'limited'
        ? { ...refusal, until: (tallies[0] as AttemptTally).endsAt }
        : refusal;
    },
  }),
  'it tells the sooner of two ends': counting({
    refuse: (tallies) => {
      const refusal = refuseAttempt(tallies);
      const ends = tallies.filter(isLimiting).map(({ endsAt }) => endsAt);
      return refusal?.kind === 'limited' ? { ...refusal, until: Math.min(...ends) as Instant } : refusal;
    },
  }),
  'it tells the later end of both windows, also when one does not limit': counting({
    refuse: (tallies) => {
      const refusal = refuseAttempt(tallies);
      const ends = tallies.map(({ endsAt }) => endsAt);
      return refusal?.kind === 'limited' ? { ...refusal, until: Math.max(...ends) as Instant } : refusal;
    },
  }),
  'it tells an end that is a whole window from now': counting({
    refuse: (tallies, { now, window }) => {
      const refusal = refuseAttempt(tallies);
      return refusal?.kind === 'limited' ? { ...refusal, until: after(now, window) } : refusal;
    },
  }),
  'it says limited while tries are under way': counting({
    refuse: (tallies) => {
      const full = tallies.find(({ tries, limit }) => tries >= limit);
      return full === undefined ? undefined : { kind: 'limited', until: full.endsAt };
    },
  }),
  'it says busy while a try is under way, though wrong ones have reached the limit': counting({
    refuse: (tallies) =>
      tallies.some(({ tries, underWay, limit }) => tries >= limit && underWay > 0)
        ? { kind: 'busy' }
        : refuseAttempt(tallies),
  }),
  'it says busy for one limit before it looks whether the other has been reached': counting({
    refuse: (tallies) =>
      tallies.map((tally) => refuseAttempt([tally])).find((refusal) => refusal !== undefined),
  }),
  'it says busy for the address before it looks at the role': counting({
    refuse: (tallies) =>
      tallies
        .toReversed()
        .map((tally) => refuseAttempt([tally]))
        .find((refusal) => refusal !== undefined),
  }),
  'only tries under way of the address keep it waiting': counting({
    refuse: (tallies) => refuseAttempt(tallies.filter((tally, at) => at > 0 || isLimiting(tally))),
  }),
  'the role counts tries that the address refuses': counting({}, (own) => ({
    begin: async (attempt) => {
      const outcome = await own.begin(attempt);
      if (outcome.kind === 'limited') count(own.openFor(attempt)[0], attempt, true);
      return outcome;
    },
  })),
  'the address counts tries that the role refuses': counting({}, (own) => ({
    begin: async (attempt) => {
      const outcome = await own.begin(attempt);
      if (outcome.kind === 'limited') count(own.openFor(attempt)[1], attempt, true);
      return outcome;
    },
  })),
  'the role counts tries that the address keeps waiting': counting({}, (own) => ({
    begin: async (attempt) => {
      const outcome = await own.begin(attempt);
      if (outcome.kind === 'busy') count(own.openFor(attempt)[0], attempt, false);
      return outcome;
    },
  })),
  'the address counts tries that the role keeps waiting': counting({}, (own) => ({
    begin: async (attempt) => {
      const outcome = await own.begin(attempt);
      if (outcome.kind === 'busy') count(own.openFor(attempt)[1], attempt, false);
      return outcome;
    },
  })),
};

const windows: Sabotages<AttemptCounter> = {
  'a window is open at its end': counting({ isOpen: ({ until }, now) => until >= now }),
  'a window ends a millisecond early': counting({ isOpen: ({ until }, now) => until - 1 > now }),
  'a window goes on from each try': counting({
    counts: (window, attempt) => {
      window.until = after(attempt.now, attempt.window);
    },
  }),
  'a window begins where the clock says': counting({
    until: ({ now, window }) => (now - (now % window) + window) as Instant,
  }),
  'a window is as long as the last try says': counting({
    seen: (open, attempt) => {
      open.until = after((open.until - open.window) as Instant, attempt.window);
    },
  }),
  'an address has the window of its role': counting({}, (own) => ({
    begin: async (attempt) => {
      const [role] = own.openFor(attempt);
      const outcome = await own.begin(attempt);
      const [, address] = own.openFor(attempt);
      if (role !== undefined && address !== undefined) address.until = role.until;
      return outcome;
    },
  })),
  'both windows begin anew when one has ended': counting({}, (own) => ({
    begin: async (attempt) => {
      const [role, address] = own.openFor(attempt);
      if (role === undefined) own.kept.windows.delete(own.keysOf(attempt)[1]);
      if (address === undefined && own.kept.windows.has(own.keysOf(attempt)[1])) {
        own.kept.windows.delete(own.keysOf(attempt)[0]);
      }
      return own.begin(attempt);
    },
  })),
  'it looks, and writes later': counting({ meanwhile: () => turns(1) }),
  'it holds a lock for the address alone': counting({ meanwhile: () => turns(1) }, (own) => {
    const lines = new Map<string, Promise<unknown>>();
    return {
      begin: (attempt) => {
        const [, address] = own.keysOf(attempt);
        const outcome = (lines.get(address) ?? Promise.resolve()).then(() => own.begin(attempt));
        lines.set(
          address,
          outcome.catch(() => undefined),
        );
        return outcome;
      },
    };
  }),
  'each process counts for itself': () => (store) => counting({})()(store),
  'each process numbers its tickets for itself': () => {
    const shared = counting({}, (own) => {
      let number = 0;
      return {
        begin: async (attempt) => {
          const outcome = await own.begin(attempt);
          if (outcome.kind !== 'admitted') return outcome;
          number += 1;
          return { kind: 'admitted', ticket: own.rename(outcome.ticket, `#${number}`) };
        },
      };
    });
    return shared();
  },
  'two tries of one millisecond have one ticket': counting({
    ticket: ({ role, address, now }) => JSON.stringify([role, address, now]),
  }),
};

function isLimiting({ tries, underWay, limit }: AttemptTally): boolean {
  return tries - underWay >= limit;
}

/** Counts one more in a window, as one that was refused must not be. */
function count(window: Window | undefined, { now }: Attempt, wrong: boolean): void {
  window?.tries.set(crypto.randomUUID() as AttemptTicket, { begun: now, wrong });
}

export const blindAttempts: Sabotages<AttemptCounter> = { ...keys, ...limits, ...windows };
