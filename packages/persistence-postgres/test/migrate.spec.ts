import { isFault } from '@pinfold/core';
import type { Migration } from '@pinfold/core/adapter';
import { anApiKey, anEvent, rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import pg from 'pg';
import { type PostgresPlace, postgresPlace } from 'pinfold-test-servers/mocha';
import { PostgresConnection } from '../src/engine/postgres-connection.ts';
import { quoted, unprepared } from '../src/engine/statement.ts';
import { openPostgres } from '../src/index.ts';
import { checkSchema, migrate } from '../src/schema/migrate.ts';
import { MIGRATIONS, NEWEST_VERSION as NEWEST } from '../src/schema/migrations.ts';

/** What later releases may bring: a step that older ones can live with, and one they cannot. */
const ADDITION: Migration = {
  version: NEWEST + 1,
  release: '7.1.0',
  oldestVersion: NEWEST,
  sql: 'ALTER TABLE roles ADD COLUMN mood text',
};
const BREAK: Migration = {
  version: NEWEST + 2,
  release: '8.0.0',
  oldestVersion: NEWEST + 1,
  sql: 'ALTER TABLE roles DROP COLUMN mood',
};

interface Stage {
  readonly place: PostgresPlace;
  readonly schema: string;
  open(config?: pg.PoolConfig): PostgresConnection;
}

async function onStage(play: (stage: Stage) => Promise<void>): Promise<void> {
  const place = await postgresPlace();
  try {
    const open = (config?: pg.PoolConfig) => new PostgresConnection(place.pool(config), async () => {});
    await play({ place, schema: place.schema, open });
  } finally {
    await place.dispose();
  }
}

async function schemaOf(connection: PostgresConnection, schema: string): Promise<object> {
  const state = unprepared(
    `SELECT version, oldest_version, oldest_release FROM ${quoted(schema)}.schema_state`,
  );
  const tables = unprepared(`
    SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = $1 ORDER BY 1, 2`);
  return {
    state: await connection.read(state, []),
    columns: await connection.read(tables, [schema]),
  };
}

async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const reason = await rejectionOf(promise);
  if (!isFault(reason)) throw reason;
  expect(reason.code).to.equal('store_unavailable');
  return reason.message;
}

describe('migrate', () => {
  it('numbers its steps without a gap', () => {
    const first = MIGRATIONS[0]?.version ?? 0;
    expect(MIGRATIONS.map(({ version }) => version)).to.deep.equal(MIGRATIONS.map((_, n) => first + n));
    for (const { version, oldestVersion } of MIGRATIONS) expect(oldestVersion).to.be.within(first, version);
  });

  it('makes the schema ready, and changes nothing when it is done again', () =>
    onStage(async ({ schema, open }) => {
      const connection = open();
      await migrate(connection, schema);
      const made = await schemaOf(connection, schema);
      await migrate(connection, schema);
      await migrate(open(), schema);
      expect(await schemaOf(connection, schema)).to.deep.equal(made);
    }));

  it('is safe when ten nodes do it at once', () =>
    onStage(async ({ place, schema }) => {
      const nodes = await Promise.all(
        Array.from({ length: 10 }, () => openPostgres({ pool: place.pool(), schema })),
      );
      await Promise.all(nodes.map((node) => node.migrate()));
      const outcomes = await Promise.all(
        nodes.map((node, n) => node.apiKeys.createFirst(anApiKey(n), [anEvent()])),
      );
      expect(outcomes.filter(({ kind }) => kind === 'created')).to.have.lengthOf(1);
    }));

  it('needs no right to make a schema that is there', () =>
    onStage(async ({ place, schema, open }) => {
      const { server } = place;
      const owner = new pg.Client(server.address);
      await owner.connect();
      await owner.query(`CREATE ROLE tenant LOGIN PASSWORD 'tenant'`);
      try {
        await owner.query(`CREATE SCHEMA ${quoted(schema)} AUTHORIZATION tenant`);
        await migrate(open({ user: 'tenant', password: 'tenant' }), schema);
        await checkSchema(open({ user: 'tenant', password: 'tenant' }), schema, undefined);
      } finally {
        await owner.query('DROP OWNED BY tenant CASCADE');
        await owner.query('DROP ROLE tenant');
        await owner.end();
      }
    }));

  it('takes its time where requests may not', () =>
    onStage(async ({ schema, open }) => {
      const hurried = open({ statement_timeout: 200, query_timeout: 2_000 });
      const slow = { ...MIGRATIONS[0], sql: 'SELECT pg_catalog.pg_sleep(0.4)' } as Migration;
      await migrate(hurried, schema, [slow]);
    }));

  it('lets an older release run while the newest step allows it, on the connections it has, and names the release that is needed after', () =>
    onStage(async ({ place, schema, open }) => {
      const older = await openPostgres({ pool: place.pool({ max: 1 }), schema });
      await older.migrate();
      const made = await schemaOf(open(), schema);
      await older.apiKeys.create(anApiKey(1), [anEvent()]);
      await older.apiKeys.find(anApiKey(1).id);
      await migrate(open(), schema, [...MIGRATIONS, ADDITION]);
      await older.migrate();
      await older.check();
      expect(await older.apiKeys.find(anApiKey(1).id)).to.deep.equal(anApiKey(1));
      expect(await older.roles.listArchives(undefined, 10)).to.deep.equal([]);
      await migrate(open(), schema, [...MIGRATIONS, ADDITION, BREAK]);
      const state = {
        version: BREAK.version,
        oldest_version: ADDITION.version,
        oldest_release: ADDITION.release,
      };
      expect(await schemaOf(open(), schema)).to.deep.equal({ ...made, state: [state] });
      for (const refused of [() => migrate(open(), schema), () => older.check()]) {
        expect(await refusalOf(refused())).to.contain(ADDITION.release);
      }
    }));

  it('does a step whole or not at all', () =>
    onStage(async ({ schema, open }) => {
      const connection = open();
      await migrate(connection, schema);
      const made = await schemaOf(connection, schema);
      const broken: Migration = {
        ...BREAK,
        sql: 'DROP TABLE attempts; DROP TABLE nothing_of_that_name',
      };
      const failed = migrate(connection, schema, [...MIGRATIONS, ADDITION, broken]);
      expect(await rejectionOf(failed)).to.have.property('code', '42P01');
      expect(await schemaOf(connection, schema)).to.deep.equal(made);
    }));

  it('has the tables that change most vacuumed early, with room on the pages of roles', () =>
    onStage(async ({ schema, open }) => {
      const connection = open();
      await migrate(connection, schema);
      const options = unprepared(`
        SELECT relname, reloptions::text FROM pg_catalog.pg_class
        WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND reloptions IS NOT NULL ORDER BY 1`);
      const vacuum = 'autovacuum_vacuum_scale_factor=0.01,autovacuum_vacuum_insert_scale_factor=0.02';
      expect(await connection.read(options, [quoted(schema)])).to.deep.equal([
        { relname: 'accounts', reloptions: `{fillfactor=85,${vacuum}}` },
        { relname: 'events', reloptions: `{${vacuum}}` },
        { relname: 'idempotency_keys', reloptions: `{${vacuum}}` },
        { relname: 'manifests', reloptions: `{${vacuum}}` },
        { relname: 'names', reloptions: `{fillfactor=85,${vacuum}}` },
        { relname: 'roles', reloptions: `{fillfactor=85,${vacuum}}` },
        { relname: 'views', reloptions: `{fillfactor=85,${vacuum}}` },
      ]);
    }));
});
