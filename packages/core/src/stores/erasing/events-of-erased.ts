import type { EventActor, EventDraft, EventId, HistoryEvent } from '../../domain/history.ts';
import { notNull } from '../../records/conditions.ts';
import { all, together } from '../../records/step.ts';
import { find, max, unlocked, update } from '../../records/steps.ts';
import { ERASURES, type ErasureRow } from '../../records/tables/account-tables.ts';
import { accountLock, SERVICE_LOCK } from '../../records/tables/locks.ts';
import { EVENTS } from '../../records/tables/service-tables.ts';
import { type Advance, addPersons, type ForgetSteps, otherLocks } from './advance.ts';

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
