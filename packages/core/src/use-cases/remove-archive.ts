import { type Cause, eventOf } from '../domain/history.ts';
import { after, type Duration, days, minutes } from '../domain/instant.ts';
import { succeeds } from '../fault.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { CleanupOutcome, CleanupTask } from '../ports/role-cleanup.ts';

/** From when on another process may claim the removal of an archive. */
export const CLAIM: Duration = minutes(10);
const MAX_PAUSE: Duration = days(1);

interface RemovalOptions {
  readonly cause: Cause;
  readonly signal: AbortSignal | undefined;
}

/** One archive that cannot be removed waits longer each time, and keeps no other waiting. */
export async function remove(
  { roles, archives, clock, ids }: Pick<AllPorts, 'roles' | 'archives' | 'clock' | 'ids'>,
  task: CleanupTask,
  { cause, signal }: RemovalOptions,
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
