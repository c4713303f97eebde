import type { EventActor, EventDraft, EventId, HistoryEvent } from '../../domain/history.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Erasure } from '../../ports/erasure-store.ts';
import { notNull } from '../../records/conditions.ts';
import { all, type Step, type Steps, together } from '../../records/step.ts';
import { find, max, unlocked, update } from '../../records/steps.ts';
import { ERASURES, type ErasureRow } from '../../records/tables/account-tables.ts';
import { accountLock, SERVICE_LOCK } from '../../records/tables/locks.ts';
import { EVENTS } from '../../records/tables/service-tables.ts';
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

/** Events of the account that one step changes, all under its lock. */
const CHANGED_AT_ONCE = 500;
/** Events of all accounts that one step searches, and accounts whose locks it takes. */
const SEARCHED_AT_ONCE = 1_000;
const ACCOUNTS_AT_ONCE = 80;

const OWN = ['at', 'id', 'actor', 'asOperator'] as const;
const SEARCHED = ['at', 'id', 'account', 'actor'] as const;

/** The members that are removed from an event of an erased account. */
const FORGOTTEN = { address: null, name: null, request: null } as const;

interface DraftOfErased extends Pick<EventDraft, 'type' | 'at'> {
  readonly ids: readonly EventId[];
  readonly pin?: HistoryEvent['pin'];
  readonly actor: EventActor;
}

/** An event of an erasure, with the first of some ids. */
export function erasureEvent(
  { replacement }: Pick<ErasureRow, 'replacement'>,
  { type, at, ids, pin = null, actor }: DraftOfErased,
): HistoryEvent {
  const [id] = ids;
  if (id === undefined) throw new TypeError('too few event ids');
  return { ...FORGOTTEN, id, type, at, recordedAt: at, account: replacement, pin, actor, asOperator: true };
}

/** Moves events to the replacement, in their order, without people and addresses. */
export function* forgetEvents(erasure: ErasureRow): ForgetSteps {
  const { account, replacement } = erasure;
  const [rows, last] = yield* together(
    find(
      EVENTS,
      { account, accountFeedNumber: notNull },
      { order: ['accountFeedNumber'], limit: CHANGED_AT_ONCE, select: OWN },
    ),
    max(EVENTS, { account: replacement, accountFeedNumber: notNull }, 'accountFeedNumber'),
  );
  if (rows.length === 0) return undefined;
  const byAccount = rows.filter(({ asOperator }) => !asOperator);
  yield* all(
    ...rows.map(({ at, id, actor: { kind } }, n) => {
      const moved = { account: replacement, actor: { kind, id: null }, accountFeedNumber: last + n + 1 };
      return update(EVENTS, { at, id }, { ...FORGOTTEN, ...moved });
    }),
    ...addPersons(erasure, byAccount),
  );
  return 'continued';
}

/** Searches the events of all accounts for people who acted as the account, and removes their ids. */
export function* forgetPersons(erasure: ErasureRow, { more }: Advance): ForgetSteps {
  const { account, searchedTo, isSearched } = erasure;
  const persons = new Set(erasure.persons);
  if (isSearched) return undefined;
  const range = { order: ['at', 'id'] as const, limit: SEARCHED_AT_ONCE, select: SEARCHED };
  // Unlocked: the step runs again under the locks of the accounts that it finds.
  const page =
    persons.size === 0 ? [] : yield* unlocked(find(EVENTS, {}, { ...range, after: searchedTo ?? undefined }));
  const locks = new Set<string>();
  for (const event of page) {
    if (isBy(event, persons) && locks.size < ACCOUNTS_AT_ONCE) locks.add(lockOfEvent(event));
  }
  const cut = page.findIndex((event) => isBy(event, persons) && !locks.has(lockOfEvent(event)));
  const searched = cut === -1 ? page : page.slice(0, cut);
  const found = searched.filter((event) => isBy(event, persons));
  const missing = otherLocks(
    [...locks].filter((lock) => lock !== accountLock(account)),
    more,
  );
  if (missing !== undefined) return missing;
  const end = searched.at(-1);
  const isLast = cut === -1 && page.length < SEARCHED_AT_ONCE;
  yield* all(
    ...found.map(({ at, id }) =>
      update(EVENTS, { at, id }, { actor: { kind: 'person', id: null }, address: null }),
    ),
    update(
      ERASURES,
      { account },
      { searchedTo: end === undefined ? searchedTo : { at: end.at, id: end.id }, isSearched: isLast },
    ),
  );
  return 'continued';
}

function isBy({ actor }: Pick<HistoryEvent, 'actor'>, persons: ReadonlySet<string>): boolean {
  return actor.kind === 'person' && actor.id !== null && persons.has(actor.id);
}

function lockOfEvent({ account }: Pick<HistoryEvent, 'account'>): string {
  return account === null ? SERVICE_LOCK : accountLock(account);
}
