import type { FeedId } from '../../domain/history.ts';
import type { Token } from '../../domain/identity.ts';
import type { Import } from '../../ports/import.ts';
import type { Database } from '../../records/database.ts';
import { all } from '../../records/joining.ts';
import type { Program } from '../../records/program.ts';
import { type Access, Step, type Steps } from '../../records/step.ts';
import { find, remove, upsert } from '../../records/steps.ts';
import type { AnyTable } from '../../records/table.ts';
import { IMPORT_LOCK } from '../../records/tables/locks.ts';
import { COMPARISONS, FEEDS, UNFINISHED_IMPORTS } from '../../records/tables/one-row-tables.ts';
import { IDEMPOTENCY_KEYS, MANIFESTS } from '../../records/tables/role-tables.ts';
import { FEED_BEGINS } from '../../records/tables/service-tables.ts';
import { getImportMark, StorePrograms } from '../store-programs.ts';
import { type FeedEnd, numberEvents } from './imported-feeds.ts';
import { insertRecords } from './inserted-records.ts';
import { MOVED_TABLES } from './moved-tables.ts';

export const IMPORT_PROGRAMS: StorePrograms = new StorePrograms();

/** Rows that one program removes. */
const REMOVED_AT_ONCE = 1_000;

/** Tables in which a row of its own prevents the import into a database. */
const OWN: readonly AnyTable[] = [...Object.values(MOVED_TABLES).map(({ table }) => table), IDEMPOTENCY_KEYS];
/** Tables whose rows an import replaces. */
const REPLACED: readonly AnyTable[] = [...OWN, MANIFESTS, COMPARISONS, FEED_BEGINS];

function keyOf({ key }: AnyTable): readonly never[] {
  return key as readonly never[];
}

/** Defines a program of an import. It needs no further lock, since every other program that writes shares its lock. */
function defineImport<Args, const Result>(
  name: string,
  run: (args: Args) => Steps<Result>,
): Program<Args, Result> {
  return IMPORT_PROGRAMS.program(name, {
    locks: (_: Args) => ({ exclusive: [IMPORT_LOCK] }),
    run: (args: Args) => allUnlocked(run(args)),
  });
}

function* allUnlocked<Result, Kind extends Access>(steps: Steps<Result, Kind>): Steps<Result, Kind> {
  let next = steps.next();
  while (next.done !== true) next = steps.next(yield new Step<unknown, Kind>(next.value.action, true));
  return next.value;
}

const load = IMPORT_PROGRAMS.query('imports.load', () => getImportMark);

const begin = defineImport('imports.begin', function* ([token, feed]: readonly [Token, FeedId]) {
  if ((yield* getImportMark) === undefined) {
    const own = yield* all(...OWN.map((table) => find(table, {}, { limit: 1, select: keyOf(table) })));
    if (own.some((rows) => rows.length > 0)) return { kind: 'refused' };
  }
  yield* all(upsert(UNFINISHED_IMPORTS, { id: 1, token }), upsert(FEEDS, { id: 1, feed }));
  return { kind: 'begun' };
});

/** Removes some of what the database had before. Returns whether there may be more. */
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

interface Numbering {
  readonly token: Token;
  readonly isSerial: boolean;
  readonly from: FeedEnd | undefined;
}

/** Numbers some events in their feeds, and ends the import with the last of them. */
const end = defineImport('imports.end', function* ({ token, isSerial, from }: Numbering) {
  if ((yield* getImportMark)?.token !== token) return { kind: 'lost' };
  const numbered = yield* numberEvents(isSerial, from);
  if (numbered !== undefined) return { kind: 'numbered', numbered };
  yield* remove(UNFINISHED_IMPORTS, { id: 1 });
  return { kind: 'ended' };
});

/**
 * Imports the records of another database.
 *
 * @param newFeed makes the id of the feed, which no cursor of before belongs to.
 */
export function importStore(database: Database, newFeed: () => FeedId): Import {
  return {
    isUnfinished: async (signal) => (await database.read(load, undefined, signal)) !== undefined,
    begin: async (token) => {
      const begun = await database.write(begin, [token, newFeed()]);
      // A refused import is not that of the token, so that nothing is removed.
      while (await database.write(clear, token)) await database.pause();
      return begun;
    },
    saveRecords: (...part) => database.write(store, part),
    end: async (token) => {
      const { isSerial } = database;
      let from: FeedEnd | undefined;
      for (;;) {
        const outcome = await database.write(end, { token, isSerial, from });
        if (outcome.kind !== 'numbered') return outcome;
        from = outcome.numbered;
        await database.pause();
      }
    },
  };
}
