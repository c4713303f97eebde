import {
  type Attempt,
  type AttemptCounter,
  type AttemptTicket,
  after,
  type Instant,
  minutes,
} from '@pinfold/core';
import { expect } from 'chai';
import type { Clause } from '../contract.ts';
import { inEachEra } from '../eras.ts';
import { START } from '../fixtures/clock.ts';
import { aRoleId } from '../fixtures/roles.ts';
import { together } from '../together.ts';

const WINDOW = minutes(5);

/** A try at the first role from one address, under limits that it does not reach by itself. */
export function aTry(more: Partial<Attempt> = {}): Attempt {
  return {
    role: aRoleId(1),
    address: '192.0.2.1',
    now: START,
    window: WINDOW,
    perAddress: 1_000,
    perRole: 1_000,
    ...more,
  };
}

function limitedUntil(until: Instant): object {
  return { kind: 'limited', until };
}

async function admit(port: AttemptCounter, attempt: Attempt): Promise<AttemptTicket> {
  const outcome = await port.begin(attempt);
  expect(outcome.kind, `a try from ${attempt.address}`).to.equal('admitted');
  return outcome.kind === 'admitted' ? outcome.ticket : ('' as AttemptTicket);
}

async function admitAll(port: AttemptCounter, addresses: readonly string[], more: Partial<Attempt> = {}) {
  const tickets: AttemptTicket[] = [];
  for (const address of addresses) tickets.push(await admit(port, aTry({ ...more, address })));
  return tickets;
}

export const attemptClauses: readonly Clause<AttemptCounter>[] = [
  {
    id: 'attempt-counter/per-address',
    says: 'one address is limited after its tries, others are not',
    check: async ({ port, peer }) => {
      const other = await peer();
      const limits = { perAddress: 3 };
      for (const store of [port, other, port]) await admit(store, aTry(limits));
      for (const store of [port, other]) {
        expect(await store.begin(aTry(limits))).to.deep.equal(limitedUntil(after(START, WINDOW)));
      }
      const neighbours = ['192.0.2.10', '192.0.2.2', '2001:db8::/64', '2001:DB8::/64', '192.0.2.1 ', '%'];
      await admitAll(other, neighbours, limits);
      await admit(port, aTry({ ...limits, role: aRoleId(2) }));
      expect((await port.begin(aTry(limits))).kind).to.equal('limited');
    },
  },
  {
    id: 'attempt-counter/per-role',
    says: "all addresses together are limited after the role's tries; another role is not",
    check: async ({ port, peer }) => {
      const other = await peer();
      const limits = { perRole: 4, perAddress: 2 };
      await admitAll(port, ['a', 'b', 'a'], limits);
      await admit(other, aTry({ ...limits, address: 'c' }));
      for (const address of ['d', 'b', 'c']) {
        const outcome = await other.begin(aTry({ ...limits, address }));
        expect(outcome).to.deep.equal(limitedUntil(after(START, WINDOW)));
      }
      await admitAll(port, ['d', 'b'], { ...limits, role: aRoleId(2) });
    },
  },
  {
    id: 'attempt-counter/both-or-neither',
    says: 'a try that one limit refuses is not counted against the other',
    check: async ({ port, peer }) => {
      const other = await peer();
      const limits = { perRole: 3, perAddress: 1 };
      await admit(port, aTry({ ...limits, address: 'a' }));
      for (let n = 0; n < 5; n += 1) {
        expect((await other.begin(aTry({ ...limits, address: 'a' }))).kind).to.equal('limited');
      }
      await admitAll(port, ['b', 'c'], limits);
      const beforeTheEnd = (after(START, WINDOW) - 1) as Instant;
      for (let n = 0; n < 3; n += 1) {
        const late = aTry({ ...limits, address: 'd', now: beforeTheEnd });
        expect((await other.begin(late)).kind).to.equal('limited');
      }
      const now = after(START, WINDOW);
      await admit(port, aTry({ ...limits, address: 'd', now }));
      const again = await port.begin(aTry({ ...limits, address: 'd', now }));
      expect(again, 'its window opened with the counted try').to.deep.equal(limitedUntil(after(now, WINDOW)));
    },
  },
  {
    id: 'attempt-counter/window',
    says: 'a limited try is told the end of the window, of two the later one, and from then on tries count anew',
    check: (_, another) =>
      inEachEra(another, async ({ port, peer }, start) => {
        const other = await peer();
        const limits = { perAddress: 2 };
        const minute = (n: number) => after(start, minutes(n));
        await admit(port, aTry({ ...limits, now: minute(0) }));
        await admit(port, aTry({ ...limits, now: minute(4) }));
        const justBefore = (minute(5) - 1) as Instant;
        for (const now of [minute(4), justBefore]) {
          expect(await other.begin(aTry({ ...limits, now }))).to.deep.equal(limitedUntil(minute(5)));
        }
        await admit(other, aTry({ ...limits, now: minute(5) }));
        await admit(port, aTry({ ...limits, now: minute(7) }));
        expect(await port.begin(aTry({ ...limits, now: minute(9) }))).to.deep.equal(limitedUntil(minute(10)));
        await admit(other, aTry({ ...limits, now: minute(30) }));
        await admit(other, aTry({ ...limits, now: minute(30) }));
        expect(await port.begin(aTry({ ...limits, now: minute(30) }))).to.deep.equal(
          limitedUntil(minute(35)),
        );
        const both = { role: aRoleId(2), perAddress: 1, perRole: 2 };
        await admit(port, aTry({ ...both, address: 'a', now: minute(0) }));
        await admit(port, aTry({ ...both, address: 'b', now: minute(3) }));
        const full = aTry({ ...both, address: 'b', now: minute(4) });
        expect(await other.begin(full), 'the later of two').to.deep.equal(limitedUntil(minute(8)));
      }),
  },
  {
    id: 'attempt-counter/race',
    says: 'of many at once, over all peers, exactly as many as the limit are admitted',
    check: async (subject) => {
      const race = async (attempt: (n: number) => Attempt) => {
        const outcomes = await together(subject, 40, (port, n) => port.begin(attempt(n)));
        const tickets = outcomes.flatMap((outcome) => (outcome.kind === 'admitted' ? [outcome.ticket] : []));
        expect(new Set(tickets).size, 'tickets').to.equal(tickets.length);
        return tickets.length;
      };
      expect(await race(() => aTry({ perAddress: 10 })), 'one address').to.equal(10);
      const role = aRoleId(2);
      expect(await race((n) => aTry({ role, address: `a${n}`, perRole: 15 })), 'one role').to.equal(15);
      const now = after(START, WINDOW);
      expect(await race(() => aTry({ perAddress: 10, now })), 'the next window').to.equal(10);
      const next = await race((n) => aTry({ role, address: `a${n % 4}`, perRole: 15, perAddress: 3, now }));
      expect(next, 'both').to.equal(12);
    },
  },
  {
    id: 'attempt-counter/forgive',
    says: 'a forgiven try counts neither for the address nor for the role; again, or in a window opened since, it changes nothing',
    check: async (subject) => {
      const { port } = subject;
      const other = await subject.peer();
      const limits = { perAddress: 2, perRole: 3 };
      const [first] = (await admitAll(port, ['a', 'a'], limits)) as [AttemptTicket];
      await together(subject, 9, (store) => store.forgive(first));
      await admitAll(other, ['a', 'b'], limits);
      for (const address of ['a', 'b', 'c']) {
        expect((await port.begin(aTry({ ...limits, address }))).kind, address).to.equal('limited');
      }
      const role = aRoleId(2);
      const [old] = (await admitAll(port, ['a', 'b'], { ...limits, role })) as [AttemptTicket];
      const now = after(START, WINDOW);
      const [mine] = (await admitAll(port, ['a', 'a', 'b'], { ...limits, role, now })) as [AttemptTicket];
      await other.forgive(old);
      for (const address of ['a', 'c']) {
        expect((await port.begin(aTry({ ...limits, role, address, now }))).kind, address).to.equal('limited');
      }
      await other.forgive(mine);
      await admit(port, aTry({ ...limits, role, address: 'a', now }));
      expect((await port.begin(aTry({ ...limits, role, address: 'c', now }))).kind).to.equal('limited');
    },
  },
  {
    id: 'attempt-counter/purge',
    says: 'ended windows go, open ones keep their count',
    check: (_, another) =>
      inEachEra(another, async ({ port, peer }, start) => {
        const other = await peer();
        const limits = { perAddress: 1, perRole: 3 };
        const minute = (n: number) => after(start, minutes(n));
        await admitAll(port, ['a', 'b'], { ...limits, now: minute(0) });
        await admit(port, aTry({ ...limits, address: 'c', now: minute(2) }));
        await admit(port, aTry({ ...limits, role: aRoleId(2), address: 'a', now: minute(3) }));
        expect(await other.purge((minute(5) - 1) as Instant, 100), 'before any ended').to.equal(0);
        const limited = await other.begin(aTry({ ...limits, address: 'd', now: minute(4) }));
        expect(limited).to.deep.equal(limitedUntil(minute(5)));
        let gone = 0;
        for (let count = 1; count > 0; gone += count) {
          count = await port.purge(minute(5), 1);
          expect(count, 'the limit').to.be.at.most(1);
          expect(gone, 'purging does not end').to.be.below(100);
        }
        expect(gone, 'ended windows').to.be.above(0);
        const still = [
          await other.begin(aTry({ ...limits, address: 'c', now: minute(5) })),
          await other.begin(aTry({ ...limits, role: aRoleId(2), address: 'a', now: minute(5) })),
        ];
        expect(still).to.deep.equal([limitedUntil(minute(7)), limitedUntil(minute(8))]);
        await admitAll(other, ['a', 'b', 'd'], { ...limits, now: minute(5) });
      }),
  },
  {
    id: 'attempt-counter/count-ended',
    says: 'exactly the windows that purging would drop are counted, and nothing changes',
    check: (_, another) =>
      inEachEra(another, async ({ port, peer }, start) => {
        const other = await peer();
        const limits = { perAddress: 1, perRole: 3 };
        const minute = (n: number) => after(start, minutes(n));
        await admitAll(port, ['a', 'b'], { ...limits, now: minute(0) });
        await admit(port, aTry({ ...limits, role: aRoleId(2), address: 'a', now: minute(3) }));
        expect(await other.countEnded((minute(5) - 1) as Instant), 'before any ended').to.equal(0);
        const ended = await other.countEnded(minute(5));
        expect(ended, 'ended windows').to.be.above(0);
        expect(await other.countEnded(minute(5)), 'again').to.equal(ended);
        expect(await port.purge(minute(5), 100)).to.equal(ended);
        expect(await other.countEnded(minute(5)), 'after the purge').to.equal(0);
      }),
  },
];
