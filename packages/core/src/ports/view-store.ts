import type { RoleId } from '../domain/identity.ts';
import type { CountedViews, Day, DayOfViews } from '../domain/views.ts';

/**
 * Stores the views of each role by day, without any data of the viewers. Requests bring the time.
 */
export interface ViewStore {
  /**
   * @promise view-store/add: counts are added up for each role and day, from any peer and by concurrent calls, even if a batch has a day twice
   * @promise view-store/add-many: a batch of a thousand roles is added whole, and an empty one changes nothing
   */
  add(counted: readonly CountedViews[]): Promise<void>;

  /** @promise view-store/list: exactly the days of the role with counts are listed, from the given day on, newest first */
  list(role: RoleId, from: Day): Promise<readonly DayOfViews[]>;

  /**
   * Drops the counts of all roles before a day; returns how many: fewer than `limit` only when none is left.
   * @promise view-store/drop: exactly earlier days are removed, at most the limit, and their number is returned
   */
  drop(before: Day, limit: number): Promise<number>;
}
