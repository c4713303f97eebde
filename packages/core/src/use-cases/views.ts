import type { RoleId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import { type CountedViews, type Day, type DayOfViews, dayOf } from '../domain/views.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import { inBatches, type RemovalPorts, removalInstant } from './removal.ts';

/** Counts views and refused passwords. */
export interface ViewCounter {
  viewed(role: RoleId): void;

  passwordRefused(role: RoleId): void;
}

/** Counts views in memory, adds them to the store, and reads them. */
export interface Views extends ViewCounter {
  /**
   * Adds up to 1,000 counters to the store in one write, and returns whether more have been waiting. Call it every ten seconds
   * and before the process ends, each time until none waits. Counts that cannot be stored wait for the next call; they are
   * added twice if the store fails after it has stored them.
   *
   * @throws Fault as the store does.
   */
  store(): Promise<boolean>;

  /** Reads the last 30 days of a role including today, newest first, without days on which nothing was counted. */
  of(role: RoleId): Promise<readonly DayOfViews[]>;

  /**
   * Drops older counts, for at most a minute. Does nothing on a node whose clock differs from the database's by more than
   * 60 s.
   */
  sweep(signal?: AbortSignal): Promise<void>;
}

/** The ports of `createViews`. */
export type ViewPorts = Pick<AllPorts, 'views' | 'mode'> & RemovalPorts;

const DAYS_LISTED = 30;

/** The counters in one write, which blocks a process with SQLite for some milliseconds. */
const BATCH = 1_000;

/** The maximum number of pending counters, one for each role and day; beyond it new ones are dropped. */
const MAX_WAITING = 100_000;

/**
 * Creates the counting of views.
 *
 * @example
 * import { type RoleId, seconds } from '@pinfold/core';
 * import { createViews, type ViewPorts } from '@pinfold/core/views';
 *
 * declare const ports: ViewPorts;
 * declare const role: RoleId;
 *
 * const views = createViews(ports);
 * views.viewed(role);
 * await ports.clock.sleep(seconds(10));
 * while (await views.store());
 * for (const { day, views: count } of await views.of(role)) console.log(day, count);
 */
export function createViews(ports: ViewPorts): Views {
  const { views, clock } = ports;
  const waiting = new Map<string, CountedViews>();
  const firstListed = (now: Instant): Day => (dayOf(now) - DAYS_LISTED + 1) as Day;

  function count(more: CountedViews): void {
    const key = `${more.role} ${more.day}`;
    if (!waiting.has(key) && waiting.size >= MAX_WAITING) return;
    const { views = 0, refusedPasswords = 0 } = waiting.get(key) ?? {};
    const sum = { views: views + more.views, refusedPasswords: refusedPasswords + more.refusedPasswords };
    waiting.set(key, { ...more, ...sum });
  }

  function takeBatch(): readonly CountedViews[] {
    const batch: CountedViews[] = [];
    for (const [key, days] of waiting) {
      if (batch.length === BATCH) break;
      batch.push(days);
      waiting.delete(key);
    }
    return batch;
  }

  return {
    viewed: (role) => count({ role, day: dayOf(clock.now()), views: 1, refusedPasswords: 0 }),
    passwordRefused: (role) => count({ role, day: dayOf(clock.now()), views: 0, refusedPasswords: 1 }),
    async store() {
      const batch = takeBatch();
      if (batch.length === 0) return false;
      // Not after the write: under load there is always a new one by then.
      const hasMore = waiting.size > 0;
      try {
        await views.add(batch);
      } catch (error) {
        for (const days of batch) count(days);
        throw error;
      }
      return hasMore;
    },
    async of(role) {
      const now = clock.now();
      return (await views.list(role, firstListed(now))).filter(({ day }) => day <= dayOf(now));
    },
    async sweep(signal) {
      const judgedAt = await removalInstant(ports, signal);
      if (judgedAt === undefined) return;
      const before = firstListed(judgedAt);
      await inBatches(ports, BATCH, signal, () => views.drop(before, BATCH));
    },
  };
}
