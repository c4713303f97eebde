import type { FeedId } from '../../domain/history.ts';
import type { Token } from '../../domain/identity.ts';
import { withoutHash } from '../../domain/password.ts';
import type { MovedRecord, RemovalRecord } from '../../domain/record-lines.ts';
import type { Import } from '../../ports/import.ts';
import type { Database } from '../../records/database.ts';
import type { Program } from '../../records/program.ts';
import { type Access, all, nothing, Step, type Steps } from '../../records/step.ts';
import { find, get, insert, remove, update, upsert } from '../../records/steps.ts';
import type { AnyTable, NewRowOf } from '../../records/table.ts';
import { IMPORT_LOCK } from '../../records/tables/locks.ts';
import { IDEMPOTENCY_KEYS, MANIFESTS, ROLES } from '../../records/tables/role-tables.ts';
import {
  COMPARISONS,
  EVENTS,
  type EventRow,
  FEED_BEGINS,
  FEEDS,
  UNFINISHED_IMPORTS,
} from '../../records/tables/service-tables.ts';
import { feedEnds } from '../events.ts';
import { derivedMembers, pick } from '../role-rows.ts';
import { addProgram, addQuery, getImportMark } from '../store-programs.ts';
import { type AnyRow, MOVED_TABLES, type PlacedRow } from './moved-tables.ts';

const NUMBERED_AT_ONCE = 1_000;

/** The last event that was numbered. */
interface FeedEnd extends Pick<EventRow, 'at' | 'id'> {
  /** Its place in the feed of all accounts. */
  readonly number: number;
  /** Whether all further events must be inserted again, because one of them was inserted too early. */
  readonly isMoved: boolean;
}

/** Numbers imported events in the order (at, id). Returns where to continue; undefined after the last one. */
function* numberEvents(isSerial: boolean, from: FeedEnd | undefined): Steps<FeedEnd | undefined> {
  const after = from && pick(from, ['at', 'id']);
  const events = yield* find(EVENTS, {}, { order: ['at', 'id'], after, limit: NUMBERED_AT_ONCE });
  const ends = new Map(yield* feedEnds(events));
  let { number, isMoved } = from ?? { number: 0, isMoved: false };
  const steps = events.flatMap((event) => {
    const { account, sequence } = event;
    const accountFeedNumber = account === null ? null : (ends.get(account) ?? 0) + 1;
    if (account !== null && accountFeedNumber !== null) ends.set(account, accountFeedNumber);
    isMoved ||= isSerial && sequence < number;
    number = isSerial ? sequence : number + 1;
    const feedNumber = isSerial ? null : number;
    return numberEvent(event, { feedNumber, accountFeedNumber }, isMoved);
  });
  yield* all(...steps);
  const last = events.at(-1);
  return last && { at: last.at, id: last.id, number, isMoved };
}

/** Numbers an event. If its sequence is its number, an event that was inserted too early is inserted again. */
function numberEvent(
  { sequence: _, ...event }: EventRow,
  numbers: Pick<EventRow, 'feedNumber' | 'accountFeedNumber'>,
  isMoved: boolean,
): readonly Step<void, 'write'>[] {
  const { at, id } = event;
  const row: NewRowOf<typeof EVENTS> = { ...event, ...numbers };
  return isMoved ? [remove(EVENTS, { at, id }), insert(EVENTS, row)] : [update(EVENTS, { at, id }, numbers)];
}

const REMOVED = [
  'account',
  'archive',
  'idempotencyKey',
  'title',
  'originalFilename',
  'passwordHash',
] as const;

/** Inserts records, except those whose key is taken, and then applies the removals of archives among them. */
function* insertRecords(records: readonly MovedRecord[]): Steps<void> {
  const moved = records.flatMap(({ kind, value }) => {
    return kind === 'removal' ? [] : [MOVED_TABLES[kind].rowsOf(value as unknown as AnyRow)];
  });
  const keys = moved.flat().flatMap(keysOf);
  const found = yield* all(
    ...keys.map(({ table, row }) => find(table, row, { limit: 1, select: keyOf(table) })),
  );
  const taken = new Set(keys.filter((_, n) => found[n]?.length !== 0).map(textOf));
  const free = moved.flatMap((rows) => {
    const inserted = rows.filter((row) => keysOf(row).every((key) => !taken.has(textOf(key))));
    if (inserted[0] !== rows[0]) return [];
    for (const key of inserted.flatMap(keysOf)) taken.add(textOf(key));
    return inserted;
  });
  yield* all(...free.map(({ table, row }) => insert(table, row as never)));
  for (const { kind, value } of records) if (kind === 'removal') yield* removeArchive(value);
}

/** The keys of a row, each with only the members of the key. */
function keysOf({ table, row }: PlacedRow): readonly PlacedRow[] {
  return [table.key, ...table.unique].map((members) => ({ table, row: pick(row, members) }));
}

function textOf({ table, row }: PlacedRow): string {
  return JSON.stringify([table.name, row]);
}

/** Applies the removal of an archive that happened after the record of its publication was exported. */
function* removeArchive({ id, expiresAt, deletedAt }: RemovalRecord): Steps<void> {
  const row = yield* get(ROLES, { id }, REMOVED);
  if (row === undefined) return;
  const { account, archive, idempotencyKey: key } = row;
  const { endedAt, endingRank } = derivedMembers({ ...row, expiresAt, deletedAt });
  const passwordHash = withoutHash(row.passwordHash);
  yield* all(
    update(ROLES, { id }, { expiresAt, deletedAt, endedAt, endingRank, hasArchive: false, passwordHash }),
    remove(MANIFESTS, { archive }),
    key === null ? nothing : update(IDEMPOTENCY_KEYS, { account, key }, { warnings: [] }),
  );
}

const REMOVED_AT_ONCE = 1_000;

/** Tables that must be empty for an import. */
const OWN: readonly AnyTable[] = [...Object.values(MOVED_TABLES).map(({ table }) => table), IDEMPOTENCY_KEYS];
/** Tables whose rows an import replaces. */
const REPLACED: readonly AnyTable[] = [...OWN, MANIFESTS, COMPARISONS, FEED_BEGINS];

function keyOf({ key }: AnyTable): readonly never[] {
  return key as readonly never[];
}

/** Defines a program of an import. It needs only IMPORT_LOCK, since all other programs that write share it. */
function defineImport<Args, const Result>(
  name: string,
  run: (args: Args) => Steps<Result>,
): Program<Args, Result> {
  return addProgram(name, {
    locks: (_: Args) => ({ exclusive: [IMPORT_LOCK] }),
    run: (args: Args) => allUnlocked(run(args)),
  });
}

function* allUnlocked<Result, Kind extends Access>(steps: Steps<Result, Kind>): Steps<Result, Kind> {
  let next = steps.next();
  while (next.done !== true) next = steps.next(yield new Step<unknown, Kind>(next.value.action, true));
  return next.value;
}

const load = addQuery('imports.load', () => getImportMark);

const begin = defineImport('imports.begin', function* ([token, feed]: readonly [Token, FeedId]) {
  if ((yield* getImportMark) === undefined) {
    const own = yield* all(...OWN.map((table) => find(table, {}, { limit: 1, select: keyOf(table) })));
    if (own.some((rows) => rows.length > 0)) return { kind: 'refused' };
  }
  yield* all(upsert(UNFINISHED_IMPORTS, { id: 1, token }), upsert(FEEDS, { id: 1, feed }));
  return { kind: 'begun' };
});

/** Removes some rows that the database had before the import. Returns whether there may be more. */
const clear = defineImport('imports.clear', function* (token: Token) {
  if ((yield* getImportMark)?.token !== token) return false;
  for (const table of REPLACED) {
    const rows = yield* find(table, {}, { limit: REMOVED_AT_ONCE, select: keyOf(table) });
    yield* all(...rows.map((key) => remove(table, key as never)));
    if (rows.length > 0) return true;
  }
  return false;
});

const store = defineImport('imports.store', function* ([token, records]: Parameters<Import['saveRecords']>) {
  if ((yield* getImportMark)?.token !== token) return { kind: 'lost' };
  yield* insertRecords(records);
  return { kind: 'saved' };
});

/** Numbers some events in their feeds, and ends the import with the last of them. */
const end = defineImport(
  'imports.end',
  function* ([token, isSerial, from]: readonly [Token, boolean, FeedEnd | undefined]) {
    if ((yield* getImportMark)?.token !== token) return { kind: 'lost' };
    const numbered = yield* numberEvents(isSerial, from);
    if (numbered !== undefined) return { kind: 'numbered', numbered };
    yield* remove(UNFINISHED_IMPORTS, { id: 1 });
    return { kind: 'ended' };
  },
);

/**
 * Imports the records of another database.
 *
 * @param newFeed makes the id of the feed, to which no earlier cursor belongs.
 */
export function importStore(database: Database, newFeed: () => FeedId): Import {
  return {
    isUnfinished: async (signal) => (await database.read(load, undefined, signal)) !== undefined,
    begin: async (token) => {
      const begun = await database.write(begin, [token, newFeed()]);
      // After a refusal, the token is not that of the import, so this removes nothing.
      while (await database.write(clear, token)) await database.pause();
      return begun;
    },
    saveRecords: (...part) => database.write(store, part),
    end: async (token) => {
      const { isSerial } = database;
      let from: FeedEnd | undefined;
      for (;;) {
        const outcome = await database.write(end, [token, isSerial, from]);
        if (outcome.kind !== 'numbered') return outcome;
        from = outcome.numbered;
        await database.pause();
      }
    },
  };
}
