import {
  after,
  before,
  days,
  type HistoryEvent,
  type Instant,
  instant,
  minutes,
  type PublicationEvent,
} from '@pinfold/core';
import { createMemory, type Memory } from '@pinfold/memory';
import { ACCOUNT, anEvent, aPublication, publishTo } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';

const NOW = instant(Date.UTC(2026, 10, 30));
const AHEAD = after(NOW, days(9));
const ALL = { account: undefined, pin: undefined, since: undefined, after: undefined, limit: 100 };

describe('an event that is stored once a minute, recorded by a clock days ahead', () => {
  let memory: Memory;
  beforeEach(() => {
    memory = createMemory();
  });
  afterEach(() => memory.close());

  const aMinuteBefore = (now: Instant): Instant => before(now, minutes(1));
  const countOf = async (type: HistoryEvent['type']): Promise<number> =>
    (await memory.history.list(ALL)).items.filter((event) => event.type === type).length;

  it('prevents no event of an archive that is read once the clock is right again', async () => {
    const { id } = await publishTo(memory.roles, aPublication(1));
    const read = (at: Instant): Promise<boolean> => {
      const event = anEvent({ type: 'pin.archive_read', at, account: ACCOUNT, pin: id }) as PublicationEvent;
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
