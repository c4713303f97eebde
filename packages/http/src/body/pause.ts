import type { Clock, Duration } from '@pinfold/core';

/** Waits until the duration has passed or the signal aborts, and says which it was. */
export async function pause(
  clock: Clock,
  length: Duration,
  signal: AbortSignal,
): Promise<'passed' | 'stopped'> {
  try {
    await clock.sleep(length, signal);
    return 'passed';
  } catch (error) {
    if (signal.aborted) return 'stopped';
    throw error;
  }
}
