import { after, days, instant, minutes, type Token } from '@pinfold/core';
import { createMemory, type Memory } from '@pinfold/memory';
import { anEvent, aPublication, aReservation, leaseOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';

const NOW = instant(Date.UTC(2026, 10, 30));

describe('a reservation begun by a clock that is days ahead', () => {
  const ahead = after(NOW, days(9));
  const begun = aReservation(1, { now: ahead, until: after(ahead, minutes(1)) });
  const again = aReservation(1, { token: 'again' as Token, now: NOW, until: after(NOW, minutes(1)) });
  let memory: Memory;
  beforeEach(async () => {
    memory = createMemory();
    expect((await memory.roles.reserve(begun)).kind).to.equal('reserved');
  });
  afterEach(() => memory.close());

  it('is taken over by the same request once the clock is right again, and commits nothing then', async () => {
    expect((await memory.roles.reserve(again)).kind).to.equal('reserved');
    const late = await memory.roles.commit(aPublication(1), leaseOf(begun), [anEvent()]);
    expect(late.kind).to.equal('lease_lost');
    expect((await memory.roles.commit(aPublication(1), leaseOf(again), [anEvent()])).kind).to.equal(
      'committed',
    );
  });

  it('is in progress for its own clock, and for one that differs by minutes', async () => {
    for (const now of [ahead, after(NOW, minutes(9 * 24 * 60 - 59))]) {
      const until = after(now, minutes(1));
      expect((await memory.roles.reserve({ ...again, now, until })).kind).to.equal('in_progress');
    }
  });

  it('is taken over, too, if the clock went ahead after it began and its publication renewed it', async () => {
    const { now, until } = again;
    const later = aReservation(3, { now, until });
    await memory.roles.reserve(later);
    await memory.roles.renew(leaseOf(later), after(ahead, minutes(1)));
    const repeated = { ...later, token: 'repeated' as Token };
    expect((await memory.roles.reserve({ ...repeated, now: ahead, until: begun.until })).kind).to.equal(
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
