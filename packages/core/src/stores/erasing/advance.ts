import type { EventActor, EventId } from '../../domain/history.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Erasure } from '../../ports/erasure-store.ts';
import { all, type Step, type Steps } from '../../records/step.ts';
import { update } from '../../records/steps.ts';
import { ERASURES, type ErasureRow } from '../../records/tables/account-tables.ts';
import type { MoreLocks } from '../store-programs.ts';

export interface Advance extends Erasure {
  readonly now: Instant;
  /** The ids for the events that it stores. */
  readonly ids: readonly EventId[];
  /** The locks that it holds beside those of both accounts. */
  readonly more: readonly string[];
}

/** Erases some rows of one kind. Other locks may be needed first; the result is `undefined` if there is no such row. */
export type ForgetSteps = Steps<'continued' | MoreLocks | undefined>;

/** Returns the locks to run again with; undefined if all wanted ones are held. Drops locks of rows that no longer exist. */
export function otherLocks(wanted: readonly string[], held: readonly string[]): MoreLocks | undefined {
  if (wanted.every((lock) => held.includes(lock))) return undefined;
  return { kind: 'more_locks', locks: wanted };
}

/** Changes rows, each under a lock of its own; `undefined` if there are none. */
export function* changeUnder(
  locks: readonly string[],
  more: readonly string[],
  changes: readonly Step<void, 'write'>[],
): ForgetSteps {
  if (locks.length === 0) return undefined;
  const missing = otherLocks(locks, more);
  if (missing !== undefined) return missing;
  yield* all(...changes);
  return 'continued';
}

/** Records the people among the actors of rows. All events are then searched for their ids. */
export function addPersons(
  { account, persons }: ErasureRow,
  rows: readonly { readonly actor: EventActor | null }[],
): readonly Step<void, 'write'>[] {
  const ids = rows.flatMap(({ actor }) => (actor?.kind === 'person' && actor.id !== null ? [actor.id] : []));
  const known = [...new Set([...persons, ...ids])];
  if (known.length === persons.length) return [];
  return [update(ERASURES, { account }, { persons: known, searchedTo: null, isSearched: false })];
}
