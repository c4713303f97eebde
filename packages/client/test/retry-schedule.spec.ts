import { expect } from 'chai';
import { PinfoldError } from '../src/pinfold-error.ts';
import { realTiming, retryWaits } from '../src/retry-schedule.ts';

const failure = (retryAfter?: number): PinfoldError =>
  new PinfoldError({ code: 'unavailable', detail: 'Later.', retryable: true, retryAfter });

/** The waits until the error is thrown, in seconds. */
async function waits(
  retryFor: number,
  random: number,
  retryAfter?: number,
  within?: number,
): Promise<number[]> {
  const slept: number[] = [];
  let now = 5_000;
  const timing = {
    now: () => now,
    random: () => random,
    sleep: async (milliseconds: number) => {
      slept.push(milliseconds / 1_000);
      now += milliseconds;
    },
  };
  const wait = retryWaits({ retryFor }, undefined, timing);
  const error = failure(retryAfter);
  const thrown = await (async () => {
    for (;;) await wait(error, within);
  })().catch((reason: unknown) => reason);
  expect(thrown).to.equal(error);
  return slept;
}

describe('the waits between attempts', () => {
  it('are at most twice as long each time, and at most 20 s', async () => {
    expect(await waits(100_000, 1)).to.deep.equal([0.5, 1, 2, 4, 8, 16, 20, 20, 20]);
    expect((await waits(1_000, 0.5)).slice(0, 2)).to.deep.equal([0.25, 0.5]);
  });

  it('end before the deadline for another attempt', async () => {
    expect(await waits(9_000, 1, 3)).to.deep.equal([3, 3, 3]);
    expect(await waits(8_999, 1, 3)).to.deep.equal([3, 3]);
    expect(await waits(150_000, 1, 4, 10_000)).to.deep.equal([4, 4]);
    expect(await waits(2_999, 1, 3)).to.deep.equal([]);
    expect(await waits(0, 0)).to.deep.equal([]);
  });

  it('are not shortened by a Retry-After of 0', async () => {
    expect(await waits(4_000, 1, 0)).to.deep.equal([0.5, 1, 2]);
  });

  it('do not end at once if they are longer than a timer allows', async () => {
    const controller = new AbortController();
    const woken = realTiming.sleep(999_999_999_000, controller.signal).then(() => 'woken');
    const waited = realTiming.sleep(50, undefined).then(() => 'still waiting');
    expect(await Promise.race([woken, waited])).to.equal('still waiting');
    controller.abort(new Error('gone'));
    expect(await woken.catch((error: unknown) => error)).to.have.property('message', 'gone');
  });
});
