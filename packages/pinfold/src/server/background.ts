import {
  type Cleaning,
  type CleanUpReport,
  type Clock,
  type Duration,
  duration,
  minutes,
  seconds,
} from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import type { History } from '@pinfold/core/history';
import { MAX_REMOVAL_DELAY, sleepUnlessAborted } from '@pinfold/core/internal';
import type { Views } from '@pinfold/core/views';
import { BY_THIS_NODE } from '../identity.ts';
import type { Log } from './log.ts';

interface CleanupTimerOptions {
  readonly cleanUp: Cleaning['cleanUp'];
  readonly history: Pick<History, 'sweep'>;
  readonly views: Pick<Views, 'sweep'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called before the first sweep and after each successful one. Its failure is logged. */
  readonly measure?: (swept: boolean) => Promise<void>;
  /** Returns a number from 0 up to 1, so that nodes that start together sweep at different times. */
  readonly random: () => number;
}

const MAX_PAUSE: Duration = minutes(10);

/** The maximum number of publications that a log line names; `pinfold cleanup --dry-run` names all. */
const MAX_NAMED = 20;

/** Sweeps every five to ten minutes until the signal aborts. A failed sweep is logged, and does not prevent the next. */
export async function runCleanupTimer(options: CleanupTimerOptions, signal: AbortSignal): Promise<void> {
  const { cleanUp, history, views, clock, log, random, measure = async () => undefined } = options;
  const count = (swept: boolean): Promise<void> =>
    measure(swept).catch((error: unknown) => log.error('the backlog of sweeps could not be counted', error));
  void count(false);
  while (await sleepUnlessAborted(clock, duration(Math.round(MAX_PAUSE * (0.5 + random() / 2))), signal)) {
    try {
      await history.sweep({ cause: BY_THIS_NODE, signal });
      await views.sweep(signal);
      logReport(log, await cleanUp({ cause: BY_THIS_NODE, signal }));
      await count(true);
    } catch (error) {
      if (signal.aborted) return;
      log.error('cleanup failed', error);
    }
  }
}

function logReport(log: Log, report: CleanUpReport): void {
  const {
    missing,
    withoutArchive,
    stored,
    listing,
    finished,
    rested,
    clockDiffers,
    removalBehind,
    ...counts
  } = report;
  if (clockDiffers) {
    log.error("nothing is cleaned up: this machine's clock differs from the database's by more than 60 s");
    return;
  }
  if (rested) {
    log.info('cleanup paused: the service is read-only');
    return;
  }
  if (listing === 'refused') {
    log.error('cleanup refused: so many archives have no record that the database may be the wrong one');
  }
  if (!finished) log.info('cleanup ran out of time and continues in the next sweep');
  if (missing.length > 0) log.warn(`${missing.length} published archives are missing from the storage`);
  if (withoutArchive.length > 0) {
    const named = withoutArchive.slice(0, MAX_NAMED).join(', ');
    log.warn(`${withoutArchive.length} publications in service lack their archive: ${named}`);
  }
  if (removalBehind > MAX_REMOVAL_DELAY) {
    log.warn(
      'archives are removed late: the clock of removal is over 24 h behind; if this clock is right, run "pinfold cleanup --catch-up"',
    );
  }
  log.info('cleanup', { ...counts, removal_behind: Math.round(removalBehind / 1_000) });
}

/** A killed process loses the counts of this time. */
const STORE_PAUSE: Duration = seconds(10);

interface StoredViews {
  readonly views: Pick<Views, 'store'>;
  readonly log: Pick<Log, 'error'>;
}

/**
 * Stores the counts of views every ten seconds until the signal aborts. Logs only the first of consecutive failures.
 */
export async function storeViews(
  { views, clock, log }: StoredViews & { readonly clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  let failed = false;
  while (await sleepUnlessAborted(clock, STORE_PAUSE, signal)) {
    try {
      while (await views.store()) if (signal.aborted) return;
      failed = false;
    } catch (error) {
      if (!failed) log.error('counts of views could not be stored and stay in memory', error);
      failed = true;
    }
  }
}

export async function storeLastViews({ views, log }: StoredViews, deadline: AbortSignal): Promise<void> {
  try {
    while (await raceSignal(views.store(), deadline)) deadline.throwIfAborted();
  } catch (error) {
    log.error('the last counts of views could not be stored and are lost', error);
  }
}
