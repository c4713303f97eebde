import { type Duration, hours, type Instant, minutes, seconds } from './instant.ts';

/** How long a machine has been up. A wall clock that is set does not change it. */
export interface Uptime {
  /** Identifies this start of the machine: its boot id or, without one, its host name. */
  readonly boot: string;
  readonly elapsed: Duration;
}

/**
 * The clock of removal, stored in the database. It follows the clocks of nodes at a bounded speed: a node whose clock is
 * wrong cannot make ended what is in service.
 */
export interface RemovalClock {
  /** Ages are judged by this instant, or by a node's own clock if that is earlier. */
  readonly reached: Instant;
  /** The boot and the uptime of the last sweep. */
  readonly boot: string;
  readonly uptime: Duration;
  /** When a sweep of another boot last moved it, by the database's clock; null if the database has none. */
  readonly steppedAt: Instant | null;
}

/** The clocks that a sweep reads. */
export interface SweepClocks {
  readonly now: Instant;
  readonly uptime: Uptime;
  /** Undefined for a database without a clock. */
  readonly database: Instant | undefined;
}

/** The greatest step of a sweep that cannot measure the time since the last one. */
const STEP: Duration = minutes(20);

/** The least time between two such steps. */
const STEP_PAUSE: Duration = minutes(10);

/** A node whose clock differs by more from the database's removes nothing. */
export const MAX_CLOCK_DIFFERENCE: Duration = seconds(60);

/** From here on, a clock of removal that is behind needs a person. */
export const MAX_REMOVAL_DELAY: Duration = hours(24);

/** The clock of removal at the first sweep. `earliestEnd`: of the roles whose archive is stored. */
export function firstRemovalClock(clocks: SweepClocks, earliestEnd: Instant | undefined): RemovalClock {
  const reached = earliestEnd === undefined ? clocks.now : earlier(earliestEnd, clocks.now);
  return { ...markOf(clocks), reached, steppedAt: clocks.database ?? null };
}

/** The clock of removal after one more sweep: nearer to the sweep's clock, and never back. */
export function movedRemovalClock(last: RemovalClock, clocks: SweepClocks): RemovalClock {
  const { boot, elapsed } = clocks.uptime;
  const isSameBoot = boot === last.boot && elapsed >= last.uptime;
  const isStep = !isSameBoot && mayStep(last, clocks);
  const step = isStep ? STEP : 0;
  const limit = isSameBoot ? 2 * (elapsed - last.uptime) : step;
  const reached = Math.max(last.reached, Math.min(clocks.now, last.reached + limit)) as Instant;
  return {
    ...markOf(clocks),
    reached,
    steppedAt: isStep ? (clocks.database ?? null) : last.steppedAt,
  };
}

/** The clock of removal when a person has confirmed the sweep's clock. */
export function caughtUp(clock: RemovalClock, now: Instant): RemovalClock {
  return { ...clock, reached: Math.max(clock.reached, now) as Instant };
}

/** A database without a clock belongs to one machine, which measures the pause by its uptime. */
function mayStep(
  { uptime, steppedAt }: RemovalClock,
  { uptime: { elapsed }, database }: SweepClocks,
): boolean {
  if (database === undefined) return elapsed - (elapsed >= uptime ? uptime : 0) >= STEP_PAUSE;
  return steppedAt === null || Math.abs(database - steppedAt) >= STEP_PAUSE;
}

function markOf({ uptime: { boot, elapsed } }: SweepClocks): Pick<RemovalClock, 'boot' | 'uptime'> {
  return { boot, uptime: elapsed };
}

export function earlier(one: Instant, other: Instant): Instant {
  return one < other ? one : other;
}

/** Whether a node's clock, read before and after the database's, certainly differs too much. */
export function clocksDiffer(asked: Instant, database: Instant, answered: Instant): boolean {
  return asked - database > MAX_CLOCK_DIFFERENCE || database - answered > MAX_CLOCK_DIFFERENCE;
}
