import { eventOf } from '../domain/history.ts';
import { after, type Duration, days, minutes } from '../domain/instant.ts';
import { succeeds } from '../fault.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { CleanupOutcome, CleanupTask } from '../ports/role-cleanup.ts';
import type { CleanUpRun } from './clean-up-run.ts';

/** From when on another process may claim the removal of an archive. */
export const CLAIM: Duration = minutes(10);
const MAX_PAUSE: Duration = days(1);

/** One archive that cannot be removed waits longer each time, and keeps no other waiting. */
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

/** Archives that a sweep looks at or removes at the same time. */
export const AT_ONCE = 16;

/** Does something with all at once, and ends when the last has ended, also when one of them failed. */
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
