import { getEventListeners } from 'node:events';
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { rejectionOf } from './rejection.ts';

/** A call that takes a signal. */
export type Interruptible = (signal: AbortSignal) => Promise<unknown>;

const REASONS = [new Error('gone'), 'gone', { why: 'the request went away' }];

/** Fails unless each call rejects with the reason of a signal that was aborted before, whatever it is. */
export async function expectAborted(calls: Readonly<Record<string, Interruptible>>): Promise<void> {
  for (const [name, call] of Object.entries(calls)) {
    for (const signal of [...REASONS.map((reason) => AbortSignal.abort(reason)), AbortSignal.abort()]) {
      expect(await rejectionOf(call(signal), name), name).to.equal(signal.reason);
    }
  }
}

const [FEW, MANY] = [8, 40];

/** Fails if calls leave anything of themselves behind: a listener on their signal, a file or a connection each. */
export async function expectNothingLeft(calls: Readonly<Record<string, Interruptible>>): Promise<void> {
  const { signal } = new AbortController();
  for (const [name, call] of Object.entries(calls)) {
    const once = async (): Promise<void> => {
      await call(signal);
      expect(getEventListeners(signal, 'abort'), `${name}: listeners`).to.have.lengthOf(0);
    };
    for (let n = 0; n < FEW; n += 1) await once();
    const held = descriptors();
    for (let n = 0; n < MANY; n += 1) await once();
    expect(descriptors() - held, `${name}: open files and connections after ${MANY} calls more`).to.be.below(
      MANY / 2,
    );
  }
}

/** How many files and connections this process has open, where the system tells. */
function descriptors(): number {
  try {
    return readdirSync('/dev/fd').length;
  } catch {
    return 0;
  }
}
