import type { Duration } from '../domain/instant.ts';
import type { Clock } from '../ports/clock.ts';

/** Settles like the promise, or rejects with the signal's reason once it aborts. A later outcome is ignored. */
export async function raceSignal<Value>(value: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return value;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([value, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Sleeps for a pause, or until the signal aborts; returns whether the whole pause has passed. */
export async function sleepUnlessAborted(
  clock: Pick<Clock, 'sleep'>,
  pause: Duration,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await clock.sleep(pause, signal);
    return !signal.aborted;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
