import { eventOf } from '../domain/history.ts';
import { after, type Duration, minutes } from '../domain/instant.ts';
import { succeeds } from '../fault.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import { type CleanupOutcome, type CleanupTask, MAX_PAUSE } from '../ports/role-cleanup.ts';
import type { CleanUpRun } from './clean-up-run.ts';

/** Removes an archive; returns whether it is gone. After each failure, the next try waits longer. */
export async function remove(
  { roles, archives, clock, ids }: Pick<AllPorts, 'roles' | 'archives' | 'clock' | 'ids'>,
  task: CleanupTask,
  { cause, signal }: Pick<CleanUpRun, 'cause' | 'signal'>,
): Promise<boolean> {
  const isGone = await succeeds(archives.delete(task.archive, signal));
  const now = clock.now();
  const purged = { type: 'pin.purged', at: now } as const;
  const events = isGone ? [eventOf(ids, purged, cause, task.account, task.role)] : [];
  const pause = Math.min(minutes(2 ** Math.min(task.failures, 12)), MAX_PAUSE) as Duration;
  const outcome: CleanupOutcome = isGone
    ? { kind: 'removed' }
    : { kind: 'failed', retryAt: after(now, pause) };
  await roles.settleCleanup(task, outcome, events);
  return isGone;
}

/** The archives that a sweep reads or removes concurrently. */
export const AT_ONCE = 16;

/** Runs work on all items concurrently. Ends when the last has ended, even if one failed; then it throws that error. */
export async function allOf<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const outcomes = await Promise.allSettled(items.map(work));
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
