import { type Instant, isRecent } from '../../domain/instant.ts';
import type { MovedRecord } from '../../domain/record-lines.ts';
import type { Snapshot } from '../../ports/snapshot.ts';
import type { Database } from '../../records/database.ts';
import { find, get, upsert } from '../../records/steps.ts';
import { EXPORT_LOCK } from '../../records/tables/locks.ts';
import { SCHEDULED_EXPORTS } from '../../records/tables/service-tables.ts';
import { pick } from '../role-rows.ts';
import { addChange, addQuery } from '../store-programs.ts';
import { type AnyRow, MOVED_TABLES, type MovedKind } from './moved-tables.ts';

/** The rows of one query: each may have a manifest of a megabyte. */
const PAGE = 64;

const readPage = addQuery(
  'snapshot.page',
  function* ([kind, after]: readonly [MovedKind, AnyRow | undefined]) {
    const { table, select, valuesOf } = MOVED_TABLES[kind];
    const order = table.key as readonly never[];
    const rows: readonly AnyRow[] = yield* find(
      table,
      {},
      { order, after, limit: PAGE, select: select as readonly never[] },
    );
    const values = valuesOf === undefined ? rows : yield* valuesOf(rows);
    const last = rows.length < PAGE ? undefined : rows.at(-1);
    return {
      records: values.map((value) => ({ kind, value }) as unknown as MovedRecord),
      next: last && pick(last, table.key),
    };
  },
);

const getScheduledExport = get(SCHEDULED_EXPORTS, { id: 1 });

const lastScheduledExport = addQuery('snapshot.last_scheduled_export', () => getScheduledExport);

const recordScheduledExport = addChange('snapshot.record_scheduled_export', {
  locks: () => ({ exclusive: [EXPORT_LOCK] }),
  *run(endedAt: Instant) {
    const last = yield* getScheduledExport;
    if (last === undefined || !isRecent(last.endedAt, endedAt, endedAt))
      yield* upsert(SCHEDULED_EXPORTS, { id: 1, endedAt });
  },
});

/** Reads the records of a database, one kind after the other, in order of the primary key. */
export function snapshot(database: Database): Snapshot {
  return {
    async *records(signal) {
      const state = await database.openSnapshot(signal);
      try {
        for (const kind of Object.keys(MOVED_TABLES) as MovedKind[]) {
          let after: AnyRow | undefined;
          do {
            const { records, next } = await state.read(readPage, [kind, after], signal);
            for (const record of records) {
              signal?.throwIfAborted();
              yield record;
            }
            after = next;
          } while (after !== undefined);
        }
      } finally {
        await state.close();
      }
    },
    recordScheduledExport: (endedAt) => database.write(recordScheduledExport, endedAt),
    lastScheduledExport: async () => (await database.read(lastScheduledExport, undefined))?.endedAt,
  };
}
