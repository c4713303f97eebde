import {
  type Attempt,
  after,
  before,
  days,
  type Instant,
  instant,
  minutes,
  type RoleId,
} from '@pinfold/core';
import { createMemory, type Memory } from '@pinfold/memory';
import { expect } from 'chai';

const NOW = instant(Date.UTC(2026, 10, 30));
const AHEAD = after(NOW, days(9));

describe('tries counted by a clock that is days ahead', () => {
  let memory: Memory;
  beforeEach(() => {
    memory = createMemory();
  });
  afterEach(() => memory.close());

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
