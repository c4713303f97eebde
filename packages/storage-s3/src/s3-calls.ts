import { type Clock, type Duration, Fault } from '@pinfold/core';
import { Semaphore } from '@pinfold/core/adapter';
import { faultOf } from './s3-failure.ts';

export interface S3CallsOptions {
  readonly bucket: string;
  readonly clock: Clock;
  /** Calls at once: fewer than the client has sockets, whose own waiting counts as silence of the server. */
  readonly parallel: number;
}

/** Runs a bounded number of calls at once, each with a deadline. Failures become faults; an abort passes through. */
export class S3Calls {
  readonly #bucket: string;
  readonly #clock: Clock;
  readonly #gate: Semaphore;

  constructor(options: S3CallsOptions) {
    this.#bucket = options.bucket;
    this.#clock = options.clock;
    this.#gate = new Semaphore({ places: options.parallel });
  }

  /** Runs a call. Its signal aborts with the caller's and at the deadline, which includes the wait for a place. */
  async run<Result>(
    signal: AbortSignal | undefined,
    deadline: Duration,
    call: (within: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const [overdue, timer] = [new AbortController(), new AbortController()];
    const within = AbortSignal.any([signal ?? overdue.signal, overdue.signal]);
    this.#clock.sleep(deadline, timer.signal).then(
      () => overdue.abort(),
      () => undefined,
    );
    try {
      return await this.#gate.run(undefined, () => call(within), within);
    } catch (error) {
      // An abort comes first, in any form that the SDK gives it.
      signal?.throwIfAborted();
      if (error instanceof Fault) throw error;
      if (!overdue.signal.aborted) throw faultOf(error, this.#bucket);
      const message = `the object store did not answer within ${deadline} ms`;
      throw new Fault('storage_unavailable', message, { cause: error });
    } finally {
      timer.abort();
    }
  }
}
