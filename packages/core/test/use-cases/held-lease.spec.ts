import { expect } from 'chai';
import {
  accountId,
  type Clock,
  Fault,
  type IdempotencyKey,
  type Instant,
  instant,
  type Lease,
  type RoleStore,
  seconds,
  type Token,
} from '../../src/index.ts';
import { holdLease, LEASE_LOST } from '../../src/use-cases/publication.ts';
import { NOW } from '../values.ts';

const lease: Lease = { account: accountId('a'), key: 'k' as IdempotencyKey, token: 't' as Token };
const limits = { lease: seconds(60) };

/** A clock whose pauses end when the test says so. */
class HandClock implements Clock {
  #now: number = NOW;
  readonly pauses: number[] = [];
  #ends: (() => void) | undefined;

  now(): Instant {
    return instant(this.#now);
  }

  /** The error of the next pause. */
  failure: Error | undefined;

  sleep(length: number, signal?: AbortSignal): Promise<void> {
    this.pauses.push(length);
    if (this.failure !== undefined) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      this.#ends = () => {
        this.#now += length;
        resolve();
      };
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  async pass(): Promise<void> {
    this.#ends?.();
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
}

type Renew = RoleStore['renew'];

function hold(renew: Renew) {
  const clock = new HandClock();
  let finish: (value: string) => void = () => {};
  const held = holdLease({ renew } as RoleStore, clock, lease, limits, (lost) => {
    return new Promise<string>((resolve, reject) => {
      finish = resolve;
      lost.addEventListener('abort', () => reject(lost.reason), { once: true });
    });
  });
  return { clock, held, finish: (value: string) => finish(value) };
}

describe('a lease held while a publication works', () => {
  it('is renewed after a third of its length, for its whole length from then', async () => {
    const renewals: number[] = [];
    const { clock, held, finish } = hold((_, until) => {
      renewals.push(until);
      return Promise.resolve({ kind: 'held' });
    });
    await clock.pass();
    await clock.pass();
    finish('done');
    expect(await held).to.equal('done');
    expect(clock.pauses).to.deep.equal([20_000, 20_000, 20_000]);
    expect(renewals).to.deep.equal([NOW + 80_000, NOW + 100_000]);
  });

  it('aborts the work if it is lost', async () => {
    const { clock, held } = hold(() => Promise.resolve({ kind: 'lost' }));
    const outcome = held.catch((reason: unknown) => reason);
    await clock.pass();
    expect(await outcome).to.equal(LEASE_LOST);
    expect(clock.pauses).to.have.length(1);
  });

  it('continues if a fault prevents the renewal, since the commit decides', async () => {
    const { clock, held, finish } = hold(() => Promise.reject(new Fault('store_unavailable', 'gone')));
    await clock.pass();
    await clock.pass();
    finish('done');
    expect(await held).to.equal('done');
  });

  for (const error of [new TypeError('a bug'), new Fault('store_corrupt', 'no lease')]) {
    it(`aborts the work when renewing fails for another reason, and says which: ${error}`, async () => {
      const { clock, held } = hold(() => Promise.reject(error));
      const outcome = held.catch((reason: unknown) => reason);
      await clock.pass();
      expect(await outcome).to.equal(error);
    });
  }

  it('aborts the work with the error of a failing clock', async () => {
    const bug = new TypeError('a bug');
    const { clock, held } = hold(() => Promise.resolve({ kind: 'held' }));
    clock.failure = bug;
    const outcome = held.catch((reason: unknown) => reason);
    await clock.pass();
    expect(await outcome).to.equal(bug);
  });
});
