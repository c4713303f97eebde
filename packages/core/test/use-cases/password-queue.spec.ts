import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { type Clock, seconds } from '../../src/index.ts';
import { WaitingTries } from '../../src/use-cases/password-queue.ts';

describe('waiting tries', () => {
  it('do not wait in a line that was emptied while 1,024 others wait', async () => {
    const clock = createManualClock();
    const pauses = new Set<AbortSignal | undefined>();
    const sleep: Clock['sleep'] = (length, signal) => {
      pauses.add(signal);
      return clock.sleep(length, signal);
    };
    const tries = new WaitingTries({ ...clock, sleep });
    const never = () => Promise.resolve(undefined);
    const answers = [undefined, 'after a wait'];
    const first = tries.ask('a', async () => answers.shift());
    await new Promise((resolve) => setImmediate(resolve));
    tries.wake('a');
    expect(await first).to.equal('after a wait');
    const areOver = [...pauses].map((pause) => pause?.aborted);
    expect(new Set(areOver), 'every pause has ended').to.deep.equal(new Set([true]));
    const others = Array.from({ length: 1_024 }, (_, n) => tries.ask(`other ${n}`, never));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await tries.ask('a', never), 'no place to wait').to.equal(undefined);
    expect(await tries.ask('a', async () => 'at once')).to.equal('at once');
    clock.advance(seconds(30));
    expect(new Set(await Promise.all(others))).to.deep.equal(new Set([undefined]));
    answers.push(undefined, 'after a wait');
    expect(await tries.ask('a', async () => answers.shift())).to.equal('after a wait');
  });
});
