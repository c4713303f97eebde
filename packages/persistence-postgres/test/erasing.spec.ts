import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TABLES } from '@pinfold/core/records';
import {
  eraseMarked,
  MARKED_SCHEMA,
  markAccount,
  ofEachTest,
  shownOf,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import pg from 'pg';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { PostgresDatabase } from '../src/database/postgres-database.ts';
import { PostgresConnection } from '../src/engine/postgres-connection.ts';

/** The files of all tables, of their indexes and of their large values, without parts over 1 GB. */
const FILES = `
  SELECT current_setting('data_directory') AS folder, pg_catalog.pg_relation_filepath(c.oid) AS file
  FROM pg_catalog.pg_class AS c
  WHERE pg_catalog.pg_relation_filepath(c.oid) IS NOT NULL AND (
    c.relnamespace = pg_catalog.to_regnamespace($1) OR c.oid IN (
      SELECT unnest(ARRAY[t.reltoastrelid, i.indexrelid]) FROM pg_catalog.pg_class AS t
      LEFT JOIN pg_catalog.pg_index AS i ON i.indrelid = t.reltoastrelid
      WHERE t.relnamespace = pg_catalog.to_regnamespace($1) AND t.reltoastrelid <> 0
    )
  )`;

describe('An erased account in PostgreSQL', () => {
  const place = ofEachTest(postgresPlace);

  afterEach(() => place.dispose());

  it('leaves no text in the files of any table, nor in an export or the history', async () => {
    const pool = place.pool();
    const schema = pg.escapeIdentifier(place.schema);
    const foundIn = async (texts: readonly string[]): Promise<readonly string[]> => {
      const tables = TABLES.map(({ name }) => `${schema}.${pg.escapeIdentifier(name)}`);
      for (const table of tables) await pool.query(`VACUUM FULL ${table}`);
      await pool.query('CHECKPOINT');
      const { rows } = await pool.query<{ folder: string; file: string }>(FILES, [schema]);
      expect(rows.length, 'files').to.be.greaterThan(TABLES.length);
      const files = await Promise.all(rows.map(({ folder, file }) => readFile(join(folder, file))));
      return texts.filter((text) => files.some((bytes) => bytes.includes(text)));
    };
    const connection = new PostgresConnection(pool, async () => {});
    const database = new PostgresDatabase(connection, place.schema, MARKED_SCHEMA);
    await database.migrate();
    const { account, marks } = await markAccount(database);
    expect(await foundIn(marks), 'before').to.deep.equal(marks);
    await eraseMarked(database, account);
    expect(await foundIn(marks)).to.deep.equal([]);
    const shown = await shownOf(database);
    expect(marks.filter((text) => shown.includes(text))).to.deep.equal([]);
    await database.close();
  }).timeout(120_000);
});
