import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { minutes, seconds } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { whileItComes } from '../src/receive.ts';

/** A body that a test lets come, and what becomes of reading it. */
function stage() {
  const clock = createManualClock();
  const socket = { bytesRead: 0 };
  const body = { socket, readableLength: 0 };
  const whole = Promise.withResolvers<string>();
  const outcomes: unknown[] = [];
  const reading = whileItComes(body as unknown as IncomingMessage, clock, minutes(15), (stall) => {
    stall.addEventListener('abort', () => whole.reject(stall.reason));
    return whole.promise;
  });
  reading.then(
    (outcome) => outcomes.push(outcome),
    (error) => outcomes.push(error),
  );
  /** Lets seconds pass, ten at a time as the watch looks. */
  const pass = async (tens: number, each: () => void = () => {}) => {
    for (let n = 0; n < tens; n += 1) {
      each();
      clock.advance(seconds(10));
      await setImmediate();
    }
  };
  return { body, whole, outcomes, pass };
}

describe('a body on its way to the screen', () => {
  it('may come slowly, and is what was read', async () => {
    const { body, whole, outcomes, pass } = stage();
    for (let n = 0; n < 10; n += 1) {
      await pass(2);
      body.socket.bytesRead += 1;
      await pass(1);
    }
    expect(outcomes).to.deep.equal([]);
    whole.resolve('whole');
    await setImmediate();
    expect(outcomes).to.deep.equal(['whole']);
  });

  it('has stalled after 30 seconds of silence', async () => {
    const { outcomes, pass } = stage();
    await pass(2);
    expect(outcomes).to.deep.equal([]);
    await pass(1);
    expect(outcomes).to.deep.equal([{ kind: 'stalled' }]);
  });

  it('has stalled after 15 minutes in all', async () => {
    const { body, outcomes, pass } = stage();
    const drip = () => {
      body.socket.bytesRead += 1;
    };
    await pass(89, drip);
    expect(outcomes).to.deep.equal([]);
    await pass(1, drip);
    expect(outcomes).to.deep.equal([{ kind: 'stalled' }]);
  });

  it('has not stalled when it is we who are slow', async () => {
    const { body, outcomes, pass } = stage();
    body.readableLength = 1;
    await pass(5);
    expect(outcomes).to.deep.equal([]);
  });

  it('fails as its reading does', async () => {
    const { whole, outcomes, pass } = stage();
    const defect = new TypeError('a defect');
    whole.reject(defect);
    await pass(5);
    expect(outcomes).to.deep.equal([defect]);
  });
});
