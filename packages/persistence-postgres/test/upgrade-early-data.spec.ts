import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RoleId } from '@pinfold/core';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { quoted } from '../src/engine/statement.ts';
import { openPostgres } from '../src/index.ts';

const SCRIPT = join(import.meta.dirname, '../../../scripts/upgrade-early-data.ts');

/** What a schema allows; an upgraded one has its columns in another order. */
async function schemaOf(pool: Pool, schema: string): Promise<unknown> {
  const rowsOf = async (sql: string) => (await pool.query(sql, [schema])).rows;
  return {
    columns: await rowsOf(`
      SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default, generation_expression
      FROM information_schema.columns WHERE table_schema = $1 ORDER BY 1, 2`),
    indexes: (
      await rowsOf('SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = $1 ORDER BY 1')
    ).map(({ indexdef }) => indexdef.replaceAll(quoted(schema), 'of')),
    options: await rowsOf(`
      SELECT relname, reloptions FROM pg_class JOIN pg_namespace AS spaces ON spaces.oid = relnamespace
      WHERE nspname = $1 ORDER BY 1`),
    constraints: (
      await rowsOf(`
        SELECT conname, pg_get_constraintdef(constraints.oid) AS definition FROM pg_constraint AS constraints
          JOIN pg_namespace AS spaces ON spaces.oid = connamespace
        WHERE nspname = $1 AND contype <> 'n' ORDER BY 1`)
    ).map(({ conname, definition }) => [conname, definition.replaceAll(quoted(schema), 'of')]),
    state: (await pool.query(`SELECT * FROM ${quoted(schema)}.schema_state`)).rows,
  };
}

describe('The upgrade of an early PostgreSQL database', () => {
  it('makes it what a new one is, keeps what is stored, and does nothing when repeated', async () => {
    const [early, fresh] = [await postgresPlace(), await postgresPlace()];
    try {
      const pool = early.pool();
      const dump = await readFile(join(import.meta.dirname, 'early-database.sql'), 'utf8');
      const within = quoted(early.schema);
      await pool.query(`BEGIN; CREATE SCHEMA ${within}; SET LOCAL search_path = ${within}; ${dump} COMMIT`);
      const stores = await openPostgres({ pool, schema: early.schema });
      expect(await rejectionOf(stores.migrate()), 'before the upgrade').to.have.property(
        'code',
        'store_unavailable',
      );
      const { user, password, host, port, database } = early.server.address;
      const url = `postgres://${user}:${password}@${host}:${port}/${database}`;
      const upgrade = () => promisify(execFile)(process.execPath, [SCRIPT, 'postgres', url, early.schema]);
      await upgrade();
      await upgrade();
      await stores.migrate();
      await stores.check();
      const made = await openPostgres({ pool: fresh.pool(), schema: fresh.schema });
      await made.migrate();
      expect(await schemaOf(pool, early.schema)).to.deep.equal(await schemaOf(fresh.pool(), fresh.schema));
      const pin = 'xvqxr5rbq7kxlevn' as RoleId;
      const role = (await stores.roles.load(pin))?.value;
      expect(role).to.include({ account: 'acme', archiveBytes: 141, title: 'Plan' });
      const range = { account: undefined, since: undefined, after: undefined, limit: 1 };
      const { items } = await stores.history.list({ pin, ...range });
      expect(items[0]).to.include({ id: 'e1', recordedAt: 1_750_000_000_000 });
    } finally {
      await Promise.all([early.dispose(), fresh.dispose()]);
    }
  });
});
