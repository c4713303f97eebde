import { type Clock, type Duration, seconds } from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import { sleepUnlessAborted } from '@pinfold/core/internal';
import type { Views } from '@pinfold/core/views';
import type { Log } from './log.ts';

/** What storing counts of views needs. */
export interface StoreViewsOptions {
  readonly views: Pick<Views, 'store'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
}

/** A process that is killed loses what it counted for so long. */
const PAUSE: Duration = seconds(10);

/** Stores counts of views every ten seconds until the signal aborts. That it fails is said once, until it succeeds. */
export async function storeViews(
  { views, clock, log }: StoreViewsOptions,
  signal: AbortSignal,
): Promise<void> {
  let failed = false;
  while (await sleepUnlessAborted(clock, PAUSE, signal)) {
    try {
      await views.store();
      failed = false;
    } catch (error) {
      if (!failed) log.error('counts of views could not be stored: they wait in memory', error);
      failed = true;
    }
  }
}

/** Stores all that was counted, unless the deadline comes first. */
export async function storeLastViews(
  { views, log }: Omit<StoreViewsOptions, 'clock'>,
  deadline: AbortSignal,
): Promise<void> {
  try {
    while (await raceSignal(views.store(), deadline)) deadline.throwIfAborted();
  } catch (error) {
    log.error('the last counts of views could not be stored: they are lost', error);
  }
}
