import type { Mode, ServiceMode } from '@pinfold/core';
import { NORMAL } from '@pinfold/core/adapter';
import type { PostgresConnection } from '../engine/postgres-connection.ts';
import { prepared, unprepared } from '../engine/statement.ts';
import type { Tables } from '../schema/tables.ts';
import { changing, rowsOf } from './events.ts';

export function postgresServiceMode(connection: PostgresConnection, tables: Tables): ServiceMode {
  const { serviceMode } = tables;
  const statements = {
    load: prepared(`SELECT kind, message FROM ${serviceMode}`),
    // Waits for changes that have checked the mode, and makes later ones wait.
    lock: unprepared(`LOCK TABLE ${serviceMode} IN EXCLUSIVE MODE`),
    change: changing(
      tables,
      `UPDATE ${serviceMode} SET kind = $1, message = $2 WHERE kind <> $1 OR message IS DISTINCT FROM $2`,
      3,
    ),
  };
  return {
    load: async (signal) => (await connection.read<Mode>(statements.load, [], signal))[0] ?? NORMAL,
    change: ({ kind, message }, events) =>
      connection.transaction(async (run) => {
        await run(statements.lock);
        await run(statements.change, [kind, message, rowsOf(events)]);
      }),
  };
}
