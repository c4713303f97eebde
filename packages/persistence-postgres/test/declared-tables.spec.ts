import { TABLES } from '@pinfold/core/records';
import { expect } from 'chai';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { PostgresDatabase } from '../src/database/postgres-database.ts';
import { PostgresConnection } from '../src/engine/postgres-connection.ts';

describe('the schema in PostgreSQL', () => {
  it('has every declared table and index', async () => {
    const place = await postgresPlace();
    try {
      const pool = place.pool();
      const connection = new PostgresConnection(pool, async () => {});
      await new PostgresDatabase(connection, place.schema, { tables: TABLES }).migrate();
      const sql = 'SELECT tablename, indexname FROM pg_indexes WHERE schemaname = $1';
      const { rows } = await pool.query<{ tablename: string; indexname: string }>(sql, [place.schema]);
      const declared = TABLES.flatMap(({ name, indexes }) => indexes.map((index) => `${name}_${index.name}`));
      expect(rows.map(({ indexname }) => indexname)).to.include.members(declared);
      expect(rows.map(({ tablename }) => tablename)).to.include.members(TABLES.map(({ name }) => name));
    } finally {
      await place.dispose();
    }
  }).timeout(60_000);
});
