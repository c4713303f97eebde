import type { Token } from '@pinfold/core';
import { importedRows } from '@pinfold/core/internal';
import type { Import, MovedRecord } from '@pinfold/core/moving';
import type { PostgresConnection, Run } from '../engine/postgres-connection.ts';
import { longRunning, prepared, quoted, type Statement, unprepared } from '../engine/statement.ts';
import { RECORDS } from '../schema/columns.ts';
import { NEW_FEED } from '../schema/migrations.ts';
import type { Tables } from '../schema/tables.ts';

/** Lets the import's own transaction pass the triggers. */
const WHILE_IMPORTING = unprepared("SET LOCAL pinfold.importing = 'on'");

export function postgresImport(connection: PostgresConnection, tables: Tables, schema: string): Import {
  const { importMark, roles, manifests } = tables;
  const { accounts, apiKeys, idempotencyKeys, names, takedowns, views, events } = tables;
  const own = [accounts, apiKeys, roles, idempotencyKeys, names, takedowns, views, events];
  const statements = {
    alone: unprepared(`LOCK TABLE ${importMark} IN EXCLUSIVE MODE`),
    mark: prepared(`SELECT token FROM ${importMark} WHERE one = 1`),
    hold: prepared(`SELECT 1 FROM ${importMark} WHERE token = $1 FOR UPDATE`),
    isForeign: unprepared(
      `SELECT ${own.map((name) => `EXISTS (SELECT 1 FROM ${name})`).join(' OR ')} AS "isForeign"`,
    ),
    setMark: unprepared(`
      INSERT INTO ${importMark} (one, token) VALUES (1, $1) ON CONFLICT (one) DO UPDATE SET token = $1`),
    clear: longRunning(`TRUNCATE ${[...own, manifests, tables.comparison, tables.feedBegins].join(', ')}`),
    newFeed: unprepared(`UPDATE ${tables.feed} SET id = ${NEW_FEED}`),
    end: unprepared(`DELETE FROM ${importMark} WHERE token = $1`),
    dropManifest: prepared(`
      DELETE FROM ${manifests} WHERE archive = (SELECT archive FROM ${roles} WHERE id = $1)`),
    remove: prepared(`
      UPDATE ${roles} SET expires_at = $2::bigint, deleted_at = $3::bigint, archive_kept = false WHERE id = $1`),
  };

  const insertInto = (table: string, columns: string): Statement => {
    const name = `${quoted(schema)}.${table}`;
    // Events of one turn are numbered in the order (at, id), and these before all later ones.
    const [turn, first] = table === 'events' ? ['turn, ', '0, '] : ['', ''];
    return prepared(`
      INSERT INTO ${name} (${turn}${columns})
      SELECT ${first}${columns} FROM pg_catalog.json_populate_recordset(NULL::${name}, $1::json)
      ON CONFLICT DO NOTHING`);
  };

  async function begin(run: Run, token: Token): ReturnType<Import['begin']> {
    await run(WHILE_IMPORTING);
    await run(statements.alone);
    const { rows: marks } = await run(statements.mark);
    if (marks.length === 0) {
      // Once the triggers exist, earlier changes have ended and new ones are refused.
      await run(NAMING, [schema]);
      await run(TRIGGERS.set);
      const { rows } = await run<{ isForeign: boolean }>(statements.isForeign);
      if (rows[0]?.isForeign !== false) {
        await run(TRIGGERS.drop);
        return { kind: 'refused' };
      }
    }
    await run(statements.setMark, [token]);
    await run(statements.clear);
    await run(statements.newFeed);
    return { kind: 'begun' };
  }

  async function keep(run: Run, records: readonly MovedRecord[]): Promise<void> {
    for (const { table, columns, rows } of importedRows(RECORDS, records)) {
      const names = columns.split(', ');
      const objects = rows.map((row) => Object.fromEntries(names.map((name, n) => [name, row[n]])));
      if (rows.length > 0) await run(insertInto(table, columns), [JSON.stringify(objects)]);
    }
    for (const { kind, value } of records) {
      if (kind !== 'removal') continue;
      await run(statements.dropManifest, [value.id]);
      await run(statements.remove, [value.id, value.expiresAt, value.deletedAt]);
    }
  }

  return {
    isUnfinished: async (signal) => (await connection.read(statements.mark, [], signal)).length > 0,
    begin: (token) => connection.transaction((run) => begin(run, token)),
    keep: (token, records) =>
      connection.transaction(async (run) => {
        await run(WHILE_IMPORTING);
        if ((await run(statements.hold, [token])).count === 0) return { kind: 'lost' };
        await keep(run, records);
        return { kind: 'kept' };
      }),
    end: (token) =>
      connection.transaction(async (run) => {
        if ((await run(statements.end, [token])).count === 0) return { kind: 'lost' };
        await run(NAMING, [schema]);
        await run(TRIGGERS.drop);
        return { kind: 'ended' };
      }),
  };
}

/** The setting from which {@link TRIGGERS} reads the schema, since DO takes no parameters. */
const NAMING = unprepared("SELECT pg_catalog.set_config('pinfold.schema', $1, true)");

/** Creates or drops the trigger of every table except the mark, the schema's state and the counted tries. */
const TRIGGERS: Readonly<Record<'set' | 'drop', Statement>> = {
  set: onEachTable(`CREATE TRIGGER refuse_while_importing BEFORE INSERT OR UPDATE OR DELETE ON %1$I.%2$I
    FOR EACH STATEMENT EXECUTE FUNCTION %1$I.refuse_while_importing()`),
  drop: onEachTable('DROP TRIGGER IF EXISTS refuse_while_importing ON %1$I.%2$I'),
};

function onEachTable(change: string): Statement {
  return longRunning(`
    DO $do$
    DECLARE
      own name;
    BEGIN
      FOR own IN
        SELECT relname FROM pg_catalog.pg_class
        JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = pg_catalog.current_setting('pinfold.schema') AND relkind = 'r'
          AND relname NOT IN ('schema_state', 'import_mark', 'attempts', 'attempt_windows')
        ORDER BY relname
      LOOP
        EXECUTE pg_catalog.format($change$${change}$change$, pg_catalog.current_setting('pinfold.schema'), own);
      END LOOP;
    END
    $do$`);
}
