import type { Duration } from '../domain/instant.ts';
import type { Clock } from '../ports/clock.ts';

/** The outcome of a promise, or the signal's reason as soon as that aborts. The promise may settle later, unheard. */
export async function raceSignal<Value>(value: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return value;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([value, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** Sleeps until the signal aborts, and says whether all of the pause has passed. */
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
