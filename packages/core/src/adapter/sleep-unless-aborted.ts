import type { Duration } from '../domain/instant.ts';
import type { Clock } from '../ports/clock.ts';

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
