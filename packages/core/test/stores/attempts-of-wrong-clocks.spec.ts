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

describe('tries that a clock days ahead has counted', () => {
  let memory: Memory;
  beforeEach(() => {
    memory = createMemory();
  });
  afterEach(() => memory.close());

  function attempt(now: Instant, address: string): Attempt {
    const role = '00000000-0000-4000-8000-000000000001' as RoleId;
    return { role, address, now, window: minutes(5), perAddress: 2, perRole: 3 };
  }

  /** Settles a try if it was admitted. */
  async function tried(now: Instant, address = 'a'): Promise<string> {
    const outcome = await memory.attempts.begin(attempt(now, address));
    if (outcome.kind === 'admitted') await memory.attempts.settle(outcome.ticket);
    return outcome.kind;
  }

  it('lock no viewer out once the clock is right again, and count only by the wrong clock', async () => {
    for (const address of ['a', 'a', 'b']) expect(await tried(AHEAD, address)).to.equal('admitted');
    for (const address of ['a', 'c']) expect(await tried(AHEAD, address)).to.equal('limited');
    for (const address of ['a', 'a']) expect(await tried(NOW, address)).to.equal('admitted');
    expect(await memory.attempts.begin(attempt(NOW, 'a'))).to.deep.equal({
      kind: 'limited',
      until: after(NOW, minutes(5)),
    });
    expect(await tried(NOW, 'b')).to.equal('admitted');
    expect(await tried(NOW, 'c'), 'all addresses together').to.equal('limited');
    for (const address of ['a', 'd'])
      expect(await tried(AHEAD, address), 'by the clock ahead').to.equal('limited');
  });

  it('allow no unlimited tries by turns of a right clock and one that is ahead', async () => {
    const outcomes = [];
    for (let turn = 0; turn < 12; turn += 1) outcomes.push(await tried(NOW), await tried(AHEAD));
    // Two of each clock, and one in a window that the other clock took for one that had ended.
    expect(outcomes.filter((kind) => kind === 'admitted')).to.have.length(5);
  });

  it('are counted together if clocks differ by minutes', async () => {
    expect(await tried(after(NOW, minutes(59)))).to.equal('admitted');
    expect(await tried(NOW)).to.equal('admitted');
    expect(await tried(NOW)).to.equal('limited');
  });

  it('are judged by the later window once that of the clock ahead has come', async () => {
    for (const address of ['a', 'a']) await tried(AHEAD, address);
    const soon = before(AHEAD, minutes(1));
    expect(await tried(soon)).to.equal('limited');
  });
});
