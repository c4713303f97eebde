import {
  type Attempt,
  type AttemptCounter,
  type AttemptTicket,
  after,
  type Instant,
  minutes,
  seconds,
} from '@pinfold/core';
import { expect } from 'chai';
import { together } from '../concurrently.ts';
import { type ClauseTable, inEachEra, withPeer } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { aRoleId } from '../fixtures/roles.ts';
import { admit, admitAll, aTry, BUSY, fail, failAll, limitedUntil, ticketOf, WINDOW } from './tries.ts';
import { checkForgivenTry, checkSettledTry } from './uneven-windows.ts';

export const underWayClauses: ClauseTable<AttemptCounter> = {
  'attempt-counter/busy: while wrong tries and tries under way together reach a limit, a further try is busy, not limited':
    withPeer(async (port, other) => {
      const limits = { perAddress: 2, perRole: 4 };
      await fail(port, aTry({ ...limits, address: 'a' }));
      const last = await admit(port, aTry({ ...limits, address: 'a' }));
      expect(await other.begin(aTry({ ...limits, address: 'a' })), 'the address').to.deep.equal(BUSY);
      const [right] = await admitAll(other, ['b', 'c'], limits);
      expect(await port.begin(aTry({ ...limits, address: 'd' })), 'the role').to.deep.equal(BUSY);
      await port.forgive(right as AttemptTicket);
      const [next] = await admitAll(other, ['d'], limits);
      await port.settle(last);
      for (const [address, outcome] of [
        ['a', limitedUntil(after(START, WINDOW))],
        ['b', BUSY],
      ] as const) {
        expect(await other.begin(aTry({ ...limits, address })), address).to.deep.equal(outcome);
      }
      await other.forgive(next as AttemptTicket);
      await admitAll(port, ['b'], limits);
      const elsewhere = { perAddress: 2, role: aRoleId(3) };
      await admitAll(port, ['b', 'b'], elsewhere);
      const both = { role: aRoleId(2), perRole: 1, perAddress: 2 };
      await fail(port, aTry(both));
      await admit(port, aTry({ ...both, perRole: 2 }));
      const limited = await other.begin(aTry(both));
      expect(limited, 'one limit reached, the other busy').to.deep.equal(limitedUntil(after(START, WINDOW)));
    }),
  'attempt-counter/race: of many concurrent tries over all peers, exactly as many as the limit are admitted, and none is limited before those are wrong':
    async (subject) => {
      const race = async (attempt: (n: number) => Attempt) => {
        const outcomes = await together(subject, 40, (port, n) => port.begin(attempt(n)));
        const admitted = outcomes.filter(({ kind }) => kind === 'admitted');
        const tickets = new Set(admitted.map(ticketOf));
        expect(tickets.size, 'tickets').to.equal(admitted.length);
        const others = outcomes.filter(({ kind }) => kind !== 'admitted');
        expect(new Set(others.map(({ kind }) => kind))).to.deep.equal(new Set(['busy']));
        for (const ticket of tickets) await subject.port.settle(ticket);
        return tickets.size;
      };
      expect(await race(() => aTry({ perAddress: 10 })), 'one address').to.equal(10);
      const role = aRoleId(2);
      expect(await race((n) => aTry({ role, address: `a${n}`, perRole: 15 })), 'one role').to.equal(15);
      const now = after(START, WINDOW);
      expect(await race(() => aTry({ perAddress: 10, now })), 'the next window').to.equal(10);
      const next = await race((n) => aTry({ role, address: `a${n % 4}`, perRole: 15, perAddress: 3, now }));
      expect(next, 'both').to.equal(12);
    },
  'attempt-counter/unsettled: an unsettled try counts as wrong 60 seconds after it began, by the instants of later tries, and can still be forgiven':
    inEachEra(async (port, other, start) => {
      const limits = { perAddress: 2, perRole: 3 };
      const second = (n: number) => after(start, seconds(n));
      const [lost] = await admitAll(port, ['a'], { ...limits, now: second(0) });
      await admitAll(port, ['a', 'b'], { ...limits, now: second(30) });
      const at = (address: string, now: Instant) => other.begin(aTry({ ...limits, address, now }));
      const until = after(start, WINDOW);
      const one = await other.begin(aTry({ ...limits, perAddress: 1, address: 'a', now: second(30) }));
      expect(one, 'none is wrong').to.deep.equal(BUSY);
      expect(await at('a', second(60)), 'one of two is wrong').to.deep.equal(BUSY);
      const first = await other.begin(aTry({ ...limits, perAddress: 1, address: 'a', now: second(60) }));
      expect(first, 'the first of two').to.deep.equal(limitedUntil(until));
      expect(await at('a', (second(90) - 1) as Instant), 'just before').to.deep.equal(BUSY);
      expect(await at('a', second(90)), 'both are wrong').to.deep.equal(limitedUntil(until));
      expect(await at('c', second(90)), 'all are wrong').to.deep.equal(limitedUntil(until));
      await other.forgive(lost as AttemptTicket);
      await admitAll(port, ['a'], { ...limits, now: second(90) });
      expect(await at('c', second(90)), 'under way again').to.deep.equal(BUSY);
      expect(await at('c', (until - 1) as Instant), 'at last').to.deep.equal(limitedUntil(until));
      await failAll(other, ['a', 'b', 'c'], { ...limits, now: until });
      const some = { role: aRoleId(3), perAddress: 3 };
      await admitAll(port, ['a', 'a', 'a'], { ...some, now: start });
      const all = await other.begin(aTry({ ...some, address: 'a', now: second(60) }));
      expect(all, 'several unsettled tries').to.deep.equal(limitedUntil(until));
      const ahead = { role: aRoleId(2), perAddress: 1 };
      await admit(port, aTry({ ...ahead, now: second(120) }));
      const behind = await other.begin(aTry({ ...ahead, now: second(10) }));
      expect(behind, 'by a clock that is behind').to.deep.equal(BUSY);
    }),
  'attempt-counter/settle: a settled try is wrong until its windows end; settling again, after forgiving, or in a window opened since changes nothing':
    withPeer(async (port, other, subject) => {
      const limits = { perAddress: 2, perRole: 3 };
      const [wrong, right] = await admitAll(port, ['a', 'a'], limits);
      await together(subject, 9, (store) => store.settle(wrong as AttemptTicket));
      await other.forgive(right as AttemptTicket);
      await together(subject, 9, (store) => store.settle(right as AttemptTicket));
      const [old] = await admitAll(port, ['a', 'b'], limits);
      await other.settle(right as AttemptTicket);
      expect(await other.begin(aTry({ ...limits, address: 'a' })), 'one wrong').to.deep.equal(BUSY);
      expect(await other.begin(aTry({ ...limits, address: 'c' })), 'one wrong').to.deep.equal(BUSY);
      const now = after(START, WINDOW);
      const since = await admitAll(port, ['a', 'a', 'b'], { ...limits, now });
      await other.settle(old as AttemptTicket);
      for (const address of ['a', 'c']) {
        expect(await other.begin(aTry({ ...limits, address, now })), 'none wrong').to.deep.equal(BUSY);
      }
      for (const ticket of since) await port.forgive(ticket);
      await admitAll(other, ['a', 'a', 'b'], { ...limits, now });
      await checkSettledTry(port, other);
    }),
  'attempt-counter/forgive: a forgiven try counts neither for the address nor for the role, even if one of its windows has ended; forgiving again, after settling, or in a window opened since changes nothing':
    withPeer(async (port, other, subject) => {
      const limits = { perAddress: 2, perRole: 3 };
      const [right, wrong] = await admitAll(port, ['a', 'a'], limits);
      await together(subject, 9, (store) => store.forgive(right as AttemptTicket));
      await other.settle(wrong as AttemptTicket);
      await together(subject, 9, (store) => store.forgive(wrong as AttemptTicket));
      await failAll(other, ['a', 'b'], limits);
      for (const address of ['a', 'b', 'c']) {
        expect((await port.begin(aTry({ ...limits, address }))).kind, address).to.equal('limited');
      }
      const role = aRoleId(2);
      const [old] = await admitAll(port, ['a', 'b'], { ...limits, role });
      const now = after(START, WINDOW);
      const [mine] = await admitAll(port, ['a', 'a', 'b'], { ...limits, role, now });
      await other.forgive(old as AttemptTicket);
      for (const address of ['a', 'c']) {
        expect(await port.begin(aTry({ ...limits, role, address, now })), address).to.deep.equal(BUSY);
      }
      await other.forgive(mine as AttemptTicket);
      await admit(port, aTry({ ...limits, role, address: 'a', now }));
      expect(await port.begin(aTry({ ...limits, role, address: 'c', now }))).to.deep.equal(BUSY);
      await checkForgivenTry(port, other);
      await checkConcurrentTries(port, other);
      const many = { role: aRoleId(5), perAddress: 10 };
      await together(subject, 30, async (store) => {
        const outcome = await store.begin(aTry(many));
        if (outcome.kind === 'admitted') await store.forgive(outcome.ticket);
      });
      for (let n = 0; n < 10; n += 1) await admit(port, aTry(many));
      expect(await other.begin(aTry(many)), 'after many at once').to.deep.equal(BUSY);
    }),
  'attempt-counter/forgiven-window: once all tries of a window are forgiven, it ends: the next counted try opens a new one, and nothing of the address is stored':
    inEachEra(async (port, other, start) => {
      const limits = { perAddress: 1, perRole: 2 };
      const minute = (n: number) => after(start, minutes(n));
      for (const ticket of await admitAll(port, ['a', 'b'], { ...limits, now: minute(0) })) {
        await other.forgive(ticket);
      }
      const visitors = Array.from({ length: 20 }, (_, n) => `visitor ${n}`);
      for (const address of visitors) {
        await other.forgive(await admit(port, aTry({ ...limits, address, now: minute(0) })));
      }
      expect(await port.countEnded(minute(60)), 'records').to.be.at.most(1);
      await failAll(port, ['a', 'b'], { ...limits, now: minute(4) });
      for (const address of ['a', 'c']) {
        const late = await other.begin(aTry({ ...limits, address, now: minute(8) }));
        expect(late, address).to.deep.equal(limitedUntil(minute(9)));
      }
      const ended = await port.countEnded(minute(16));
      const late = await admitAll(port, visitors, { role: aRoleId(2), now: minute(10) });
      await admit(other, aTry({ role: aRoleId(3), now: minute(16) }));
      for (const ticket of late) await other.forgive(ticket);
      expect(await port.countEnded(minute(16)), 'records after the end').to.be.at.most(ended + 1);
    }),
};

/** Tries that begin, are settled, forgiven and purged concurrently end as they would one after the other. */
async function checkConcurrentTries(port: AttemptCounter, other: AttemptCounter): Promise<void> {
  const all = { role: aRoleId(6), perAddress: 100, perRole: 100 };
  const now = after(START, WINDOW);
  await fail(port, aTry(all));
  await Promise.all([other.purge(now, 100), fail(port, aTry({ ...all, now }))]);
  const kinds: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const alone = { role: aRoleId(40 + n), address: `right ${n}`, now };
    const right = await admit(port, aTry(alone));
    const earlier = n % 2 === 0 ? undefined : other.forgive(right);
    await Promise.all([admit(port, aTry(alone)), earlier ?? other.forgive(right)]);
    for (const limit of ['perAddress', 'perRole']) {
      const full = await other.begin(aTry({ ...alone, [limit]: 1 }));
      expect(full, `${limit}, what began while another was forgiven`).to.deep.equal(BUSY);
    }
    const open = await admit(port, aTry({ ...all, address: `open ${n}`, now }));
    await Promise.all(
      n % 2 === 0 ? [port.settle(open), other.forgive(open)] : [other.forgive(open), port.settle(open)],
    );
    const request = aTry({ ...all, address: `open ${n}`, now, perAddress: 1 });
    const outcome = await port.begin(request);
    kinds.push(outcome.kind);
    if (outcome.kind === 'admitted') await other.forgive(outcome.ticket);
  }
  const wrong = 1 + kinds.filter((kind) => kind === 'limited').length;
  const role = aTry({ ...all, address: 'the role', now });
  expect((await port.begin({ ...role, perRole: wrong })).kind, 'all that are wrong').to.equal('limited');
  await admit(other, { ...role, perRole: wrong + 1 });
}
