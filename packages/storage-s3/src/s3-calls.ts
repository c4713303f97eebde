import { type Clock, type Duration, Fault } from '@pinfold/core';
import type { Semaphore } from '@pinfold/core/adapter';
import { faultOf } from './s3-failure.ts';

/** The settings that all calls of a storage share. */
export interface S3Calls {
  readonly bucket: string;
  readonly clock: Clock;
  /** Has fewer places than the client has sockets: waiting for a socket would count as silence of the server. */
  readonly gate: Semaphore;
}

/**
 * Runs a call. Its signal aborts with the caller's, and at the deadline, which includes the wait for a place. Converts
 * failures to faults, but not an abort.
 */
export async function runCall<Result>(
  { bucket, clock, gate }: S3Calls,
  signal: AbortSignal | undefined,
  deadline: Duration,
  call: (within: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const [overdue, timer] = [new AbortController(), new AbortController()];
  const within = AbortSignal.any([signal ?? overdue.signal, overdue.signal]);
  clock.sleep(deadline, timer.signal).then(
    () => overdue.abort(),
    () => undefined,
  );
  try {
    return await gate.run(undefined, () => call(within), within);
  } catch (error) {
    // First, since the SDK reports an abort in several ways.
    signal?.throwIfAborted();
    if (error instanceof Fault) throw error;
    if (!overdue.signal.aborted) throw faultOf(error, bucket);
    const message = `the object store did not answer within ${deadline} ms`;
    throw new Fault('storage_unavailable', message, { cause: error });
  } finally {
    timer.abort();
  }
}
