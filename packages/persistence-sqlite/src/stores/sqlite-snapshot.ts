import { setImmediate } from 'node:timers/promises';
import { snapshotRecords } from '@pinfold/core/internal';
import type { Snapshot } from '@pinfold/core/moving';
import type { Statements } from '../engine/sqlite-connection.ts';
import { asFault } from '../engine/sqlite-errors.ts';
import { RECORDS } from '../schema/columns.ts';

/** Reads all permanent data of a file in one transaction on its own connection; others get their turn between pages. */
export function sqliteSnapshot(connection: Statements): Snapshot {
  return {
    async *records(signal) {
      signal?.throwIfAborted();
      const file = await connection.readTransaction();
      try {
        yield* snapshotRecords(
          {
            tables: RECORDS,
            nameOf: (table) => table,
            parameter: () => '?',
            read: async <Row>(sql: string, values: readonly unknown[]) => {
              await setImmediate();
              return file.prepare<Row>(sql).all(...values);
            },
          },
          signal,
        );
      } catch (error) {
        throw asFault(error);
      } finally {
        file.close();
      }
    },
  };
}
