// Upgrades a database that an early state of the repository made, before 0.1.0, to the schema of 0.1.0.
//
//   node scripts/upgrade-early-data.ts sqlite FILE
//   node scripts/upgrade-early-data.ts postgres URL [SCHEMA]
//
// Stop every server and make a backup first. The upgrade happens in one transaction, completely or not at all.
import { createRequire } from 'node:module';
import { DatabaseSync } from 'node:sqlite';

/** The steps that lead from the schema with the version `from` to the first released one, one version each. */
interface Upgrade {
  readonly from: number;
  readonly steps: readonly string[];
}

const RELEASED = 16;

const SQLITE: Upgrade = {
  from: 13,
  steps: [
    `ALTER TABLE events ADD COLUMN recorded_at INTEGER NOT NULL DEFAULT 0;
    UPDATE events SET recorded_at = at;
    CREATE INDEX events_recorded ON events (recorded_at);`,
    // Programs that wait for a key ask again.
    `ALTER TABLE api_keys ADD COLUMN ensured INTEGER NOT NULL DEFAULT 0 CHECK (ensured IN (0, 1));
    CREATE INDEX api_keys_live ON api_keys (account) WHERE revoked_at IS NULL;
    CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL AND ensured = 0;
    CREATE INDEX sessions_of_account ON sessions (account, started_at, token_hash);
    CREATE INDEX sessions_of_actor ON sessions (account, actor, started_at, token_hash);
    DROP TABLE pairings;
    CREATE TABLE pairings (
      secret_hash TEXT NOT NULL PRIMARY KEY,
      ends_at INTEGER NOT NULL,
      account TEXT,
      scopes TEXT,
      label TEXT,
      actor TEXT,
      session TEXT,
      api_key TEXT
    ) STRICT;
    CREATE INDEX pairings_ended ON pairings (ends_at);
    CREATE INDEX pairings_agreed ON pairings (account, actor, session);`,
    `DROP TABLE sweep_turn;
    CREATE INDEX roles_ending ON roles (account, coalesce(9007199254740991 - expires_at, 0), id, expires_at, deleted_at)
      WHERE deleted_at IS NULL;
    CREATE INDEX roles_largest ON roles (account, archive_bytes, id, expires_at, deleted_at) WHERE deleted_at IS NULL;
    ALTER TABLE events ADD COLUMN name TEXT;
    CREATE TABLE names (
      account TEXT NOT NULL,
      name TEXT NOT NULL,
      token TEXT NOT NULL UNIQUE,
      role TEXT NOT NULL REFERENCES roles (id),
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (account, name)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE events ADD COLUMN number INTEGER;
    ALTER TABLE events ADD COLUMN account_number INTEGER;
    CREATE UNIQUE INDEX events_number ON events (number);
    CREATE UNIQUE INDEX events_account_number ON events (account, account_number) WHERE account IS NOT NULL;
    CREATE TABLE feed (one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL) STRICT;
    INSERT INTO feed (one, id) VALUES (1, lower(hex(randomblob(16))));
    CREATE TABLE feed_begins (
      account TEXT NOT NULL PRIMARY KEY,
      number INTEGER NOT NULL,
      event TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    UPDATE events SET number = placed.number, account_number = iif(account IS NULL, NULL, placed.account_number)
    FROM (
      SELECT at, id, row_number() OVER (ORDER BY recorded_at, at, id) AS number,
        row_number() OVER (PARTITION BY account ORDER BY recorded_at, at, id) AS account_number
      FROM events
    ) AS placed
    WHERE events.at = placed.at AND events.id = placed.id;`,
  ],
};

const POSTGRES: Upgrade = {
  from: 12,
  steps: [
    `ALTER TABLE events ADD COLUMN recorded_at bigint;
    UPDATE events SET recorded_at = at;
    ALTER TABLE events ALTER COLUMN recorded_at SET NOT NULL;
    CREATE INDEX events_recorded ON events (recorded_at);`,
    `ALTER TABLE api_keys ADD COLUMN ensured boolean NOT NULL DEFAULT false;
    CREATE INDEX api_keys_live ON api_keys (account) WHERE revoked_at IS NULL;
    CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL AND NOT ensured;
    CREATE INDEX sessions_of_account ON sessions (account, started_at, token_hash);
    CREATE INDEX sessions_of_actor ON sessions (account, actor, started_at, token_hash);
    DELETE FROM pairings;
    ALTER TABLE pairings ALTER COLUMN account DROP NOT NULL, ALTER COLUMN scopes DROP NOT NULL,
      ALTER COLUMN label DROP NOT NULL, ALTER COLUMN actor DROP NOT NULL,
      ADD COLUMN session text COLLATE "C", ADD COLUMN api_key text COLLATE "C";
    CREATE INDEX pairings_agreed ON pairings (account, actor, session);`,
    `DROP TABLE sweep_turn;
    CREATE INDEX roles_ending ON roles (account, coalesce(9007199254740991 - expires_at, 0), id)
      WHERE deleted_at IS NULL;
    CREATE INDEX roles_largest ON roles (account, archive_bytes, id) INCLUDE (expires_at) WHERE deleted_at IS NULL;
    ALTER TABLE roles ALTER COLUMN archive_bytes DROP DEFAULT, ALTER COLUMN sha256 DROP DEFAULT;
    ALTER TABLE sessions ALTER COLUMN actor DROP DEFAULT, ALTER COLUMN scope DROP DEFAULT;
    ALTER TABLE sign_in_links ALTER COLUMN actor DROP DEFAULT, ALTER COLUMN scope DROP DEFAULT;
    ALTER TABLE api_keys ALTER COLUMN ensured DROP DEFAULT;
    ALTER TABLE attempts ALTER COLUMN begun_at DROP DEFAULT;
    ALTER TABLE events ADD COLUMN name text COLLATE "C";
    CREATE TABLE names (
      account text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      token text COLLATE "C" NOT NULL UNIQUE,
      role text COLLATE "C" NOT NULL REFERENCES roles (id),
      updated_at bigint NOT NULL,
      PRIMARY KEY (account, name)
    ) WITH (
      fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02
    );
    ALTER TABLE events ADD COLUMN turn bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
      ADD COLUMN number bigint, ADD COLUMN account_number bigint;
    UPDATE events SET turn = 0;
    CREATE INDEX events_unnumbered ON events (turn, at, id) WHERE number IS NULL;
    CREATE UNIQUE INDEX events_number ON events (number) WHERE number IS NOT NULL;
    CREATE UNIQUE INDEX events_account_number ON events (account, account_number) WHERE account_number IS NOT NULL;
    ALTER TABLE service_mode ALTER COLUMN one TYPE smallint;
    CREATE TABLE feed (one smallint PRIMARY KEY CHECK (one = 1), id text COLLATE "C" NOT NULL);
    INSERT INTO feed (one, id) VALUES (1, replace(gen_random_uuid()::text, '-', ''));
    CREATE TABLE feed_begins (
      account text COLLATE "C" PRIMARY KEY,
      number bigint NOT NULL,
      event text COLLATE "C" NOT NULL
    );`,
  ],
};

const READ_VERSION = 'SELECT version FROM schema_state';
const SET_VERSION = `UPDATE schema_state SET version = ${RELEASED}, oldest_version = ${RELEASED}, oldest_release = '0.1.0'`;

/** The statements for a database of a version, and none when it has the released schema. */
function statementsFor({ from, steps }: Upgrade, version: number): readonly string[] {
  if (version === RELEASED) return [];
  if (version < from || version >= from + steps.length) {
    throw new Error(`cannot upgrade version ${version} of the schema; nothing was changed`);
  }
  return [...steps.slice(version - from), SET_VERSION];
}

function upgradeSqlite(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec('BEGIN EXCLUSIVE');
    const version = Number(database.prepare(READ_VERSION).get()?.version);
    for (const statement of statementsFor(SQLITE, version)) database.exec(statement);
    database.exec('COMMIT');
  } finally {
    // Rolls back what was not committed.
    database.close();
  }
}

async function upgradePostgres(connectionString: string, schema: string): Promise<void> {
  const { Client, escapeIdentifier } = createRequire(
    new URL('../packages/persistence-postgres/package.json', import.meta.url),
  )('pg');
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(`BEGIN; SET LOCAL search_path = ${escapeIdentifier(schema)}`);
    await client.query('LOCK TABLE schema_state IN ACCESS EXCLUSIVE MODE');
    const { rows } = await client.query(READ_VERSION);
    for (const statement of statementsFor(POSTGRES, Number(rows[0]?.version))) await client.query(statement);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

const [kind, place, schema = 'pinfold'] = process.argv.slice(2);
if (place === undefined || (kind !== 'sqlite' && kind !== 'postgres')) {
  throw new Error('give "sqlite FILE" or "postgres URL [SCHEMA]"');
}
if (kind === 'sqlite') upgradeSqlite(place);
else await upgradePostgres(place, schema);
console.log(`the database has version ${RELEASED} of the schema`);
