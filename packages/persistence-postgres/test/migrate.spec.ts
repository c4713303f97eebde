import { TABLES } from '@pinfold/core/records';
import { migrationsTo, quoted } from '@pinfold/core/sql';
import { describeMigrations } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import pg from 'pg';
import { type PostgresPlace, postgresPlace } from 'pinfold-test-servers/mocha';
import { postgresDialect } from '../src/database/postgres-database.ts';
import { PostgresConnection } from '../src/engine/postgres-connection.ts';
import { unprepared } from '../src/engine/statement.ts';
import { openPostgres } from '../src/index.ts';
import { checkSchema, migrate } from '../src/schema/migrate.ts';

interface OpenPlace {
  readonly place: PostgresPlace;
  readonly schema: string;
  open(config?: pg.PoolConfig): PostgresConnection;
}

async function withPlace(work: (opened: OpenPlace) => Promise<void>): Promise<void> {
  const place = await postgresPlace();
  try {
    const open = (config?: pg.PoolConfig) => new PostgresConnection(place.pool(config), async () => {});
    await work({ place, schema: place.schema, open });
  } finally {
    await place.dispose();
  }
}

async function schemaOf(
  connection: PostgresConnection,
  schema: string,
): Promise<Readonly<Record<'state' | 'columns' | 'indexes', readonly unknown[]>>> {
  const state = unprepared(
    `SELECT version, oldest_version, oldest_release FROM ${quoted(schema)}.schema_state`,
  );
  const tables = unprepared(`
    SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = $1 ORDER BY 1, 2`);
  const indexes = unprepared(`
    SELECT indexname, split_part(indexdef, ' USING ', 2) FROM pg_catalog.pg_indexes WHERE schemaname = $1 ORDER BY 1`);
  return {
    state: await connection.read(state, []),
    columns: await connection.read(tables, [schema]),
    indexes: await connection.read(indexes, [schema]),
  };
}

describeMigrations({
  noTable: '42P01',
  onPlace: (work) =>
    withPlace(({ place, schema, open }) =>
      work({
        migrations: migrationsTo(TABLES, postgresDialect(schema)),
        open: () => openPostgres({ pool: place.pool({ max: 1 }), schema }),
        migrate: (migrations) => migrate(open(), schema, migrations),
        schema: () => schemaOf(open(), schema),
      }),
    ),
});

describe('migrate in PostgreSQL', () => {
  it('needs no right to create schemas if the schema exists', () =>
    withPlace(async ({ place, schema, open }) => {
      const { server } = place;
      const owner = new pg.Client(server.address);
      await owner.connect();
      await owner.query(`CREATE ROLE tenant LOGIN PASSWORD 'tenant'`);
      try {
        await owner.query(`CREATE SCHEMA ${quoted(schema)} AUTHORIZATION tenant`);
        const migrations = migrationsTo(TABLES, postgresDialect(schema));
        await migrate(open({ user: 'tenant', password: 'tenant' }), schema, migrations);
        await checkSchema(open({ user: 'tenant', password: 'tenant' }), schema);
      } finally {
        await owner.query('DROP OWNED BY tenant CASCADE');
        await owner.query('DROP ROLE tenant');
        await owner.end();
      }
    }));

  it('may take longer than requests', () =>
    withPlace(async ({ schema, open }) => {
      const hurried = open({ statement_timeout: 200, query_timeout: 2_000 });
      const sql = ['SELECT pg_catalog.pg_sleep(0.4)'];
      const slow = { version: 1, release: '0.1.0', oldestVersion: 1, sql };
      await migrate(hurried, schema, [slow]);
    }));

  it('has every table vacuumed early, with room on its pages', () =>
    withPlace(async ({ place, schema, open }) => {
      await (await openPostgres({ pool: place.pool(), schema })).migrate();
      const options = unprepared(`
        SELECT DISTINCT reloptions::text FROM pg_catalog.pg_class
        WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname <> 'schema_state'`);
      const vacuum = 'autovacuum_vacuum_scale_factor=0.01,autovacuum_vacuum_insert_scale_factor=0.02';
      expect(await open().read(options, [quoted(schema)])).to.deep.equal([
        { reloptions: `{fillfactor=85,${vacuum}}` },
      ]);
    }));
});
