import { FIRST_GENERATION, type Migration, NO_LIMITS } from '@pinfold/core/adapter';
import { first } from './first-migration.ts';

/** Sessions of the management screen, and the links that begin them. */
const sessions: Migration = {
  version: 2,
  release: '0.1.0',
  oldestVersion: 1,
  sql: `
    CREATE TABLE sessions (
      token_hash TEXT NOT NULL PRIMARY KEY,
      account TEXT NOT NULL,
      api_key TEXT,
      started_at INTEGER NOT NULL,
      ends_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sessions_end ON sessions (ends_at);

    CREATE TABLE sign_in_links (
      token_hash TEXT NOT NULL PRIMARY KEY,
      account TEXT NOT NULL,
      ends_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sign_in_links_end ON sign_in_links (ends_at);
  `,
};

/**
 * Tries under way, told from wrong ones: a row of `attempts` is one that nobody has settled, and goes with neither of
 * its windows alone. Tries that an older release counts beside this one are wrong from their beginning.
 */
const tries: Migration = {
  version: 3,
  release: '0.1.0',
  oldestVersion: 1,
  sql: `
    DROP TABLE attempts;
    CREATE TABLE attempts (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      address_window INTEGER NOT NULL,
      role_window INTEGER NOT NULL,
      begun_at INTEGER NOT NULL DEFAULT 0,
      ends_at INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX attempts_of_address ON attempts (address_window, begun_at);
    CREATE INDEX attempts_of_role ON attempts (role_window, begun_at);
    CREATE INDEX attempts_end ON attempts (ends_at);
  `,
};

/**
 * How far storage is compared with the records; `sweep_turn` is left to the release before. The index finds whose an
 * archive is.
 */
const comparison: Migration = {
  version: 4,
  release: '0.1.0',
  oldestVersion: 1,
  sql: `
    CREATE TABLE comparison (
      one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
      version INTEGER NOT NULL,
      comparison TEXT NOT NULL
    ) STRICT;
    CREATE INDEX roles_archive ON roles (archive);
  `,
};

/**
 * The history. Of roles that expired before it began none is told; sessions that began before it are their key's, or the
 * operator's. The index of roles finds those that expired and of which no event tells.
 */
const history: Migration = {
  version: 5,
  release: '0.1.0',
  oldestVersion: 1,
  sql: `
    CREATE TABLE events (
      at INTEGER NOT NULL,
      id TEXT NOT NULL,
      type TEXT NOT NULL,
      account TEXT,
      pin TEXT,
      actor TEXT NOT NULL,
      request TEXT,
      address TEXT,
      as_operator INTEGER NOT NULL CHECK (as_operator IN (0, 1)),
      PRIMARY KEY (at, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX events_of_account ON events (account, at, id);
    CREATE INDEX events_of_pin ON events (pin, at, id) WHERE pin IS NOT NULL;

    CREATE TABLE session_refusals (
      account TEXT NOT NULL PRIMARY KEY,
      told_at INTEGER NOT NULL
    ) STRICT;

    ALTER TABLE roles ADD COLUMN last_event_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE roles ADD COLUMN expiry_told INTEGER NOT NULL DEFAULT 0 CHECK (expiry_told IN (0, 1));
    UPDATE roles SET expiry_told = 1 WHERE expires_at <= unixepoch() * 1000;
    CREATE INDEX roles_expiring ON roles (expires_at)
      WHERE expiry_told = 0 AND (deleted_at IS NULL OR deleted_at >= expires_at);

    ALTER TABLE sessions ADD COLUMN actor TEXT NOT NULL DEFAULT '{"kind":"operator","id":null}';
    UPDATE sessions SET actor = json_object('kind', 'key', 'id', api_key) WHERE api_key IS NOT NULL;
    ALTER TABLE sign_in_links ADD COLUMN actor TEXT NOT NULL DEFAULT '{"kind":"operator","id":null}';
  `,
};

/**
 * What is known of accounts, and of each archive how large it was and what it was. A role published before has its bytes
 * up to the end of its last file, and none once its manifest is gone.
 */
const accounts: Migration = {
  version: 6,
  release: '0.1.0',
  oldestVersion: 1,
  sql: `
    CREATE TABLE accounts (
      name TEXT NOT NULL PRIMARY KEY,
      version INTEGER NOT NULL,
      limits TEXT NOT NULL,
      blocked TEXT NOT NULL,
      generation INTEGER NOT NULL,
      last_published_at INTEGER,
      publications_mark INTEGER
    ) STRICT;
    INSERT INTO accounts (name, version, limits, blocked, generation, last_published_at)
    SELECT account, 1, '${JSON.stringify(NO_LIMITS)}', 'null', ${FIRST_GENERATION}, max(at) FROM (
      SELECT account, published_at AS at FROM roles
      UNION ALL SELECT account, NULL FROM api_keys
      UNION ALL SELECT account, NULL FROM sessions
    ) GROUP BY account;

    ALTER TABLE roles ADD COLUMN archive_bytes INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE roles ADD COLUMN sha256 TEXT NOT NULL DEFAULT '';
    UPDATE roles SET
      sha256 = coalesce((
        SELECT json_extract(keys.fingerprint, '$[0]') FROM idempotency_keys AS keys
        WHERE keys.account = roles.account AND keys.key = roles.idempotency_key AND json_valid(keys.fingerprint)
      ), ''),
      archive_bytes = coalesce((
        SELECT max(json_extract(files.value, '$[1]') + json_extract(files.value, '$[2]'))
        FROM manifests, json_each(manifests.manifest, '$[1]') AS files
        WHERE manifests.archive = roles.archive
      ), 0);
    CREATE INDEX roles_in_service ON roles (account, expires_at, archive_bytes) WHERE deleted_at IS NULL;
    CREATE INDEX roles_sha256 ON roles (sha256) WHERE deleted_at IS NULL;
  `,
};

/** What a session lets its person do, and what the person is called. */
const sessionScopes: Migration = {
  version: 7,
  release: '0.1.0',
  oldestVersion: 1,
  sql: `
    ALTER TABLE sessions ADD COLUMN scope TEXT NOT NULL DEFAULT 'manage';
    ALTER TABLE sessions ADD COLUMN display_name TEXT;
  `,
};

/** How often each role was viewed, by day. */
const views: Migration = {
  version: 8,
  release: '0.1.0',
  oldestVersion: 1,
  sql: `
    CREATE TABLE views (
      role TEXT NOT NULL,
      day INTEGER NOT NULL,
      views INTEGER NOT NULL,
      refused_passwords INTEGER NOT NULL,
      PRIMARY KEY (role, day)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX views_of_day ON views (day);
  `,
};

/** What was taken down, what is to go without a grace, and the lists of all roles. */
const takedowns: Migration = {
  version: 9,
  release: '0.1.0',
  oldestVersion: 1,
  sql: `
    CREATE TABLE takedowns (
      id TEXT NOT NULL,
      account TEXT NOT NULL,
      sha256 TEXT NOT NULL,
      reason TEXT NOT NULL,
      at INTEGER NOT NULL,
      lifted_at INTEGER,
      PRIMARY KEY (id, sha256)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX takedowns_forbidden ON takedowns (sha256, at, id) WHERE lifted_at IS NULL;
    CREATE INDEX takedowns_listed ON takedowns (at, id, sha256) WHERE lifted_at IS NULL;

    ALTER TABLE roles ADD COLUMN purged INTEGER NOT NULL DEFAULT 0 CHECK (purged IN (0, 1));
    DROP INDEX roles_sha256;
    CREATE INDEX roles_sha256 ON roles (sha256, id) WHERE deleted_at IS NULL;
    CREATE INDEX roles_newest ON roles (published_at, id, expires_at, deleted_at) WHERE deleted_at IS NULL;
    CREATE INDEX roles_newest_deleted ON roles (published_at, id) WHERE deleted_at IS NOT NULL;
  `,
};

/** The mark of an import that has begun and not ended. */
const imports: Migration = {
  version: 10,
  release: '0.1.0',
  oldestVersion: 1,
  sql: `
    CREATE TABLE import_mark (
      one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
      token TEXT NOT NULL
    ) STRICT;
  `,
};

/** The mode of the service: normal until a row says otherwise. */
const mode: Migration = {
  version: 11,
  release: '0.1.0',
  oldestVersion: 1,
  sql: `
    CREATE TABLE service_mode (
      one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
      kind TEXT NOT NULL,
      message TEXT
    ) STRICT;
    INSERT INTO service_mode (one, kind, message) VALUES (1, 'normal', NULL);
  `,
};

/** What people agreed to, until a program comes for its key. */
const pairings: Migration = {
  version: 12,
  release: '0.1.0',
  oldestVersion: 1,
  sql: `
    CREATE TABLE pairings (
      secret_hash TEXT NOT NULL PRIMARY KEY,
      account TEXT NOT NULL,
      scopes TEXT NOT NULL,
      label TEXT NOT NULL,
      actor TEXT NOT NULL,
      ends_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX pairings_ended ON pairings (ends_at);
  `,
};

/** What the session of a link lets its person do. */
const linkScopes: Migration = {
  version: 13,
  release: '0.1.0',
  oldestVersion: 1,
  sql: `ALTER TABLE sign_in_links ADD COLUMN scope TEXT NOT NULL DEFAULT 'manage'`,
};

/** When each event was recorded: the sweep drops it by that. Releases before this one do not write it. */
const recordedEvents: Migration = {
  version: 14,
  release: '0.1.0',
  oldestVersion: 14,
  sql: `
    ALTER TABLE events ADD COLUMN recorded_at INTEGER NOT NULL DEFAULT 0;
    UPDATE events SET recorded_at = at;
    CREATE INDEX events_recorded ON events (recorded_at);
  `,
};

/** What bounds keys, sessions and programs that ask for a key. Programs that wait begin anew. */
const boundedKeys: Migration = {
  version: 15,
  release: '0.1.0',
  oldestVersion: 14,
  sql: `
    ALTER TABLE api_keys ADD COLUMN ensured INTEGER NOT NULL DEFAULT 0 CHECK (ensured IN (0, 1));
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
    CREATE INDEX pairings_agreed ON pairings (account, actor, session);
  `,
};

/** All steps, in order of version: each is added at the end, and never changed once released. */
export const MIGRATIONS: readonly Migration[] = [
  first,
  sessions,
  tries,
  comparison,
  history,
  accounts,
  sessionScopes,
  views,
  takedowns,
  imports,
  mode,
  pairings,
  linkScopes,
  recordedEvents,
  boundedKeys,
];
