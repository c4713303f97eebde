import { snapshotRecords } from '@pinfold/core/internal';
import type { Snapshot } from '@pinfold/core/moving';
import type { PostgresConnection } from '../engine/postgres-connection.ts';
import { quoted, unprepared } from '../engine/statement.ts';
import { RECORDS } from '../schema/columns.ts';

/** Reads all permanent data of a schema in one transaction on its own connection. */
export function postgresSnapshot(connection: PostgresConnection, schema: string): Snapshot {
  return {
    async *records(signal) {
      signal?.throwIfAborted();
      yield* connection.snapshot((run) =>
        snapshotRecords(
          {
            tables: RECORDS,
            nameOf: (table) => `${quoted(schema)}.${table}`,
            parameter: (place) => `$${place}`,
            read: async <Row>(sql: string, values: readonly unknown[]) =>
              (await run<Row>(unprepared(sql), values)).rows,
          },
          signal,
        ),
      );
    },
  };
}
