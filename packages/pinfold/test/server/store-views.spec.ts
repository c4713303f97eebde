import { Fault, type Instant, seconds } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { storeLastViews, storeViews } from '../../src/server/background.ts';

const away = new Fault('store_unavailable', 'the database is away');

describe('storing counts of views', () => {
  const clock = createManualClock();
  const errors: string[] = [];
  const log = { error: (message: string) => errors.push(message) };
  beforeEach(() => {
    errors.length = 0;
  });
  const pass = async (length: number): Promise<void> => {
    clock.advance(seconds(length));
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };

  it('is one write in ten seconds, and says once that it fails', async () => {
    const at: Instant[] = [];
    let fails = false;
    const store = async () => {
      at.push(clock.now());
      if (fails) throw away;
      return true;
    };
    const stop = new AbortController();
    const begun = clock.now();
    const ended = storeViews({ views: { store }, clock, log }, stop.signal);
    await pass(9.999);
    expect(at).to.deep.equal([]);
    await pass(0.001);
    fails = true;
    for (let n = 0; n < 3; n += 1) await pass(10);
    fails = false;
    await pass(10);
    fails = true;
    await pass(10);
    expect(at.map((moment) => moment - begun)).to.deep.equal([10, 20, 30, 40, 50, 60].map(seconds));
    expect(errors).to.have.lengthOf(2);
    stop.abort();
    await ended;
  });

  it('ends with all that was counted, unless there is no more time', async () => {
    let left = 3;
    const store = async () => {
      left -= 1;
      return left > 0;
    };
    await storeLastViews({ views: { store }, log }, new AbortController().signal);
    expect(left).to.equal(0);
    await storeLastViews({ views: { store: () => new Promise(() => undefined) }, log }, AbortSignal.abort());
    await storeLastViews({ views: { store: () => Promise.reject(away) }, log }, new AbortController().signal);
    expect(errors).to.have.lengthOf(2);
  });
});
