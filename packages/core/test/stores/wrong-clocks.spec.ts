import {
  type Attempt,
  after,
  before,
  days,
  type HistoryEvent,
  type Instant,
  instant,
  minutes,
  type PublicationEvent,
  type RoleId,
  type Token,
} from '@pinfold/core';
import { createMemory, type Memory } from '@pinfold/memory';
import {
  ACCOUNT,
  anEvent,
  aPublication,
  aReservation,
  leaseOf,
  publishTo,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';

const NOW = instant(Date.UTC(2026, 10, 30));
const AHEAD = after(NOW, days(9));
const ALL = { account: undefined, pin: undefined, since: undefined, after: undefined, limit: 100 };

describe('the stores and a clock that is days ahead', () => {
  let memory: Memory;
  beforeEach(() => {
    memory = createMemory();
  });
  afterEach(() => memory.close());

  describe('tries counted by a clock that is days ahead', () => {
    function attempt(now: Instant, address: string): Attempt {
      const role = '00000000-0000-4000-8000-000000000001' as RoleId;
      return { role, address, now, window: minutes(5), perAddress: 2, perRole: 3 };
    }

    /** Begins a try, and settles it if it was admitted. */
    async function begin(now: Instant, address = 'a'): Promise<string> {
      const outcome = await memory.attempts.begin(attempt(now, address));
      if (outcome.kind === 'admitted') await memory.attempts.settle(outcome.ticket);
      return outcome.kind;
    }

    it('limit no viewer once the clock is right again, but still limit the wrong clock', async () => {
      for (const address of ['a', 'a', 'b']) expect(await begin(AHEAD, address)).to.equal('admitted');
      for (const address of ['a', 'c']) expect(await begin(AHEAD, address)).to.equal('limited');
      for (const address of ['a', 'a']) expect(await begin(NOW, address)).to.equal('admitted');
      expect(await memory.attempts.begin(attempt(NOW, 'a'))).to.deep.equal({
        kind: 'limited',
        until: after(NOW, minutes(5)),
      });
      expect(await begin(NOW, 'b')).to.equal('admitted');
      expect(await begin(NOW, 'c'), 'all addresses together').to.equal('limited');
      for (const address of ['a', 'd'])
        expect(await begin(AHEAD, address), 'by the clock ahead').to.equal('limited');
    });

    it('stay limited if a right clock and one that is ahead take turns', async () => {
      const outcomes = [];
      for (let turn = 0; turn < 12; turn += 1) outcomes.push(await begin(NOW), await begin(AHEAD));
      // Two by each clock, and one in a window that had ended for the other clock.
      expect(outcomes.filter((kind) => kind === 'admitted')).to.have.length(5);
    });

    it('are counted together if clocks differ by minutes', async () => {
      expect(await begin(after(NOW, minutes(59)))).to.equal('admitted');
      expect(await begin(NOW)).to.equal('admitted');
      expect(await begin(NOW)).to.equal('limited');
    });

    it('limit viewers again once the right time reaches their window', async () => {
      for (const address of ['a', 'a']) await begin(AHEAD, address);
      const soon = before(AHEAD, minutes(1));
      expect(await begin(soon)).to.equal('limited');
    });
  });

  describe('an event that is stored once a minute, recorded by a clock days ahead', () => {
    const aMinuteBefore = (now: Instant): Instant => before(now, minutes(1));
    const countOf = async (type: HistoryEvent['type']): Promise<number> =>
      (await memory.history.list(ALL)).items.filter((event) => event.type === type).length;

    it('prevents no event of an archive that is read once the clock is right again', async () => {
      const { id } = await publishTo(memory.roles, aPublication(1));
      const read = (at: Instant): Promise<boolean> => {
        const event = anEvent({
          type: 'pin.archive_read',
          at,
          account: ACCOUNT,
          pin: id,
        }) as PublicationEvent;
        return memory.history.recordOnce(event, aMinuteBefore(at));
      };
      const later = after(NOW, minutes(5));
      const stored = [];
      for (const at of [AHEAD, AHEAD, NOW, NOW, later, later]) stored.push(await read(at));
      expect(stored).to.deep.equal([true, false, true, false, true, false]);
    });

    it('prevents no event of a refused sign-in once the clock is right again', async () => {
      await publishTo(memory.roles, aPublication(1));
      for (const at of [AHEAD, AHEAD, NOW, NOW, after(NOW, minutes(5))]) {
        const event = anEvent({ type: 'session.refused', at });
        await memory.sessions.refuse({ ...event, account: ACCOUNT }, aMinuteBefore(at));
      }
      expect(await countOf('session.refused')).to.equal(3);
    });

    it('leaves one event for each clock while nodes with different clocks refuse sign-ins in turn', async () => {
      await publishTo(memory.roles, aPublication(1));
      for (const at of [AHEAD, NOW, AHEAD, NOW, AHEAD, NOW]) {
        const event = anEvent({ type: 'session.refused', at });
        await memory.sessions.refuse({ ...event, account: ACCOUNT }, aMinuteBefore(at));
      }
      expect(await countOf('session.refused')).to.equal(2);
    });
  });

  describe('a reservation begun by a clock that is days ahead', () => {
    const begun = aReservation(1, { now: AHEAD, until: after(AHEAD, minutes(1)) });
    const again = aReservation(1, { token: 'again' as Token, now: NOW, until: after(NOW, minutes(1)) });
    beforeEach(async () => {
      expect((await memory.roles.reserve(begun)).kind).to.equal('reserved');
    });

    it('is taken over by the same request once the clock is right again, and commits nothing then', async () => {
      expect((await memory.roles.reserve(again)).kind).to.equal('reserved');
      const late = await memory.roles.commit(aPublication(1), leaseOf(begun), [anEvent()]);
      expect(late.kind).to.equal('lease_lost');
      expect((await memory.roles.commit(aPublication(1), leaseOf(again), [anEvent()])).kind).to.equal(
        'committed',
      );
    });

    it('is in progress for its own clock, and for one that differs by minutes', async () => {
      for (const now of [AHEAD, after(NOW, minutes(9 * 24 * 60 - 59))]) {
        const until = after(now, minutes(1));
        expect((await memory.roles.reserve({ ...again, now, until })).kind).to.equal('in_progress');
      }
    });

    it('is taken over, too, if the clock went ahead after it began and its publication renewed it', async () => {
      const { now, until } = again;
      const later = aReservation(3, { now, until });
      await memory.roles.reserve(later);
      await memory.roles.renew(leaseOf(later), after(AHEAD, minutes(1)));
      const repeated = { ...later, token: 'repeated' as Token };
      expect((await memory.roles.reserve({ ...repeated, now: AHEAD, until: begun.until })).kind).to.equal(
        'in_progress',
      );
      expect((await memory.roles.reserve(repeated)).kind).to.equal('reserved');
      expect(await memory.roles.renew(leaseOf(later), until)).to.deep.equal({ kind: 'lost' });
    });

    it('refuses the key to another request', async () => {
      const other = await memory.roles.reserve({ ...again, fingerprint: aReservation(2).fingerprint });
      expect(other.kind).to.equal('mismatch');
    });
  });
});
