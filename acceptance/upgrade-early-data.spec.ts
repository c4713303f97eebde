import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import type { RoleId } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import { openPostgres } from '@pinfold/persistence-postgres';
import { openSqlite } from '@pinfold/persistence-sqlite';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import pg from 'pg';
import { postgresUrl } from 'pinfold-test-servers';
import { postgresPlace } from 'pinfold-test-servers/mocha';

/** An empty database. */
interface Database {
  open(): Promise<Persistence>;
  execute(sql: string): Promise<unknown>;
  /** What names it for the script. */
  readonly names: readonly string[];
  /** What its schema allows; an upgraded one has its columns in another order, some with a default. */
  schema(): Promise<unknown>;
  dispose(): Promise<unknown>;
}

const root = join(import.meta.dirname, '..');

async function emptySqlite(): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-early-'));
  const file = join(folder, 'pinfold.sqlite');
  const use = <Result>(work: (database: DatabaseSync) => Result): Result => {
    const database = new DatabaseSync(file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  return {
    open: () => openSqlite({ file }),
    execute: async (sql) => use((database) => database.exec(sql)),
    names: ['sqlite', file],
    schema: async () =>
      use((database) => ({
        columns: database
          .prepare(`
            SELECT tables.name AS of, columns.name, columns.type, "notnull", pk, hidden
            FROM sqlite_schema AS tables, pragma_table_xinfo(tables.name) AS columns
            WHERE tables.type = 'table' ORDER BY 1, 2`)
          .all(),
        indexes: database
          .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name")
          .all()
          .map((index) => JSON.stringify(index).replace(/(?:\\n|\s)+/g, ' ')),
        state: database.prepare('SELECT * FROM schema_state').all(),
      })),
    dispose: () => rm(folder, { recursive: true }),
  };
}

async function emptyPostgres(): Promise<Database> {
  const place = await postgresPlace();
  const { schema, server } = place;
  const [pool, within] = [place.pool(), pg.escapeIdentifier(schema)];
  const rowsOf = async (sql: string) => (await pool.query(sql, [schema])).rows;
  return {
    open: () => openPostgres({ pool, schema }),
    execute: (sql) =>
      pool.query(`BEGIN; CREATE SCHEMA ${within}; SET LOCAL search_path = ${within}; ${sql} COMMIT`),
    names: ['postgres', postgresUrl(server.address), schema],
    schema: async () => ({
      columns: await rowsOf(`
        SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default, generation_expression
        FROM information_schema.columns WHERE table_schema = $1 ORDER BY 1, 2`),
      indexes: (
        await rowsOf('SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = $1 ORDER BY 1')
      ).map(({ indexdef }) => indexdef.replaceAll(within, 'of')),
      options: await rowsOf(`
        SELECT relname, reloptions FROM pg_class JOIN pg_namespace AS spaces ON spaces.oid = relnamespace
        WHERE nspname = $1 ORDER BY 1`),
      constraints: (
        await rowsOf(`
          SELECT conname, pg_get_constraintdef(constraints.oid) AS definition FROM pg_constraint AS constraints
            JOIN pg_namespace AS spaces ON spaces.oid = connamespace
          WHERE nspname = $1 AND contype <> 'n' ORDER BY 1`)
      ).map(({ conname, definition }) => [conname, definition.replaceAll(within, 'of')]),
      state: (await pool.query(`SELECT * FROM ${within}.schema_state`)).rows,
    }),
    dispose: () => place.dispose(),
  };
}

describe('The upgrade of an early database', function () {
  this.timeout(60_000);

  for (const [name, empty] of Object.entries({ sqlite: emptySqlite, postgres: emptyPostgres })) {
    it(`makes it what a new one is, keeps what is stored, and does nothing when repeated: ${name}`, async () => {
      const [early, fresh] = [await empty(), await empty()];
      try {
        const dump = join(root, `packages/persistence-${name}/test/early-database.sql`);
        await early.execute(await readFile(dump, 'utf8'));
        const [stores, made] = [await early.open(), await fresh.open()];
        const refused = await rejectionOf(stores.migrate());
        expect(refused, 'before the upgrade').to.have.property('code', 'store_unavailable');
        const script = [join(root, 'scripts/upgrade-early-data.ts'), ...early.names];
        for (let times = 0; times < 2; times += 1) await promisify(execFile)(process.execPath, script);
        for (const { migrate, check } of [stores, made]) {
          await migrate();
          await check();
        }
        expect(await early.schema()).to.deep.equal(await fresh.schema());
        const pin = 'xvqxr5rbq7kxlevn' as RoleId;
        const role = (await stores.roles.load(pin))?.value;
        expect(role).to.include({ account: 'acme', archiveBytes: 141, title: 'Plan' });
        const range = { account: undefined, since: undefined, after: undefined, limit: 1 };
        const { items } = await stores.history.list({ pin, ...range });
        expect(items[0]).to.include({ id: 'e1', recordedAt: 1_750_000_000_000 });
        await Promise.all([stores.close(), made.close()]);
      } finally {
        await Promise.all([early.dispose(), fresh.dispose()]);
      }
    });
  }
});
