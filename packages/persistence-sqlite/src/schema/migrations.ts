import type { Migration } from '@pinfold/core/adapter';

/**
 * The schema of the first release.
 *
 * An archive exists for this database while `manifests` has its row. `roles.ended_at` is the instant from which viewers
 * never see the role again. A role awaits cleanup in the index `roles_ended`, and after a claim or a failed cleanup in
 * `roles_waiting`; `roles_expiring` finds expired roles that have no event about it yet. Rows of `attempts` are tries of
 * passwords that are not settled yet.
 *
 * `events.number` is an event's place in the feed of all accounts, `account_number` in that of its account. `feed_begins`
 * has the last event that was dropped of each account's feed and, under the account '', of the feed of all accounts.
 */
const firstRelease: Migration = {
  version: 16,
  release: '0.1.0',
  oldestVersion: 16,
  sql: `
    CREATE TABLE roles (
      id TEXT NOT NULL PRIMARY KEY,
      version INTEGER NOT NULL,
      account TEXT NOT NULL,
      archive TEXT NOT NULL,
      idempotency_key TEXT NOT NULL,
      title TEXT,
      original_filename TEXT NOT NULL,
      file_count INTEGER NOT NULL,
      size INTEGER NOT NULL,
      archive_bytes INTEGER NOT NULL,
      sha256 TEXT NOT NULL,
      published_at INTEGER NOT NULL,
      expires_at INTEGER,
      pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
      deleted_at INTEGER,
      password_hash TEXT,
      generation INTEGER NOT NULL,
      title_folded TEXT NOT NULL,
      archive_kept INTEGER NOT NULL DEFAULT 1 CHECK (archive_kept IN (0, 1)),
      claim_token TEXT,
      not_before INTEGER,
      failures INTEGER NOT NULL DEFAULT 0,
      last_event_at INTEGER NOT NULL DEFAULT 0,
      expiry_told INTEGER NOT NULL DEFAULT 0 CHECK (expiry_told IN (0, 1)),
      purged INTEGER NOT NULL DEFAULT 0 CHECK (purged IN (0, 1)),
      ended_at INTEGER GENERATED ALWAYS AS (coalesce(min(deleted_at, expires_at), deleted_at, expires_at)) VIRTUAL
    ) STRICT;
    CREATE INDEX roles_listed ON roles (account, published_at, id, expires_at, deleted_at) WHERE deleted_at IS NULL;
    CREATE INDEX roles_deleted ON roles (account, published_at, id) WHERE deleted_at IS NOT NULL;
    CREATE INDEX roles_newest ON roles (published_at, id, expires_at, deleted_at) WHERE deleted_at IS NULL;
    CREATE INDEX roles_ending ON roles (account, coalesce(9007199254740991 - expires_at, 0), id, expires_at, deleted_at)
      WHERE deleted_at IS NULL;
    CREATE INDEX roles_largest ON roles (account, archive_bytes, id, expires_at, deleted_at) WHERE deleted_at IS NULL;
    CREATE INDEX roles_newest_deleted ON roles (published_at, id) WHERE deleted_at IS NOT NULL;
    CREATE INDEX roles_in_service ON roles (account, expires_at, archive_bytes) WHERE deleted_at IS NULL;
    CREATE INDEX roles_sha256 ON roles (sha256, id) WHERE deleted_at IS NULL;
    CREATE INDEX roles_archive ON roles (archive);
    CREATE INDEX roles_ended ON roles (ended_at) WHERE archive_kept = 1 AND not_before IS NULL;
    CREATE INDEX roles_waiting ON roles (not_before) WHERE archive_kept = 1 AND not_before IS NOT NULL;
    CREATE INDEX roles_expiring ON roles (expires_at)
      WHERE expiry_told = 0 AND (deleted_at IS NULL OR deleted_at >= expires_at);

    CREATE TABLE manifests (
      archive TEXT NOT NULL PRIMARY KEY,
      manifest TEXT NOT NULL
    ) STRICT;

    CREATE TABLE idempotency_keys (
      account TEXT NOT NULL,
      key TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      token TEXT NOT NULL,
      begun_at INTEGER NOT NULL,
      held_until INTEGER NOT NULL,
      role TEXT REFERENCES roles (id),
      warnings TEXT,
      PRIMARY KEY (account, key)
    ) STRICT;
    CREATE INDEX idempotency_keys_reserved ON idempotency_keys (begun_at) WHERE role IS NULL;

    CREATE TABLE comparison (
      one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
      version INTEGER NOT NULL,
      comparison TEXT NOT NULL
    ) STRICT;

    CREATE TABLE accounts (
      name TEXT NOT NULL PRIMARY KEY,
      version INTEGER NOT NULL,
      limits TEXT NOT NULL,
      blocked TEXT NOT NULL,
      generation INTEGER NOT NULL,
      last_published_at INTEGER,
      publications_mark INTEGER
    ) STRICT;

    CREATE TABLE api_keys (
      id TEXT NOT NULL PRIMARY KEY,
      account TEXT NOT NULL,
      scopes TEXT NOT NULL,
      label TEXT NOT NULL,
      secret_hash TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      revoked_at INTEGER,
      ensured INTEGER NOT NULL CHECK (ensured IN (0, 1))
    ) STRICT;
    CREATE INDEX api_keys_in_order ON api_keys (created_at, id);
    CREATE INDEX api_keys_of_account ON api_keys (account, created_at, id);
    CREATE INDEX api_keys_live ON api_keys (account) WHERE revoked_at IS NULL;
    CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL AND ensured = 0;

    CREATE TABLE attempt_windows (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      role TEXT NOT NULL,
      counted TEXT NOT NULL,
      ends_at INTEGER NOT NULL,
      tries INTEGER NOT NULL,
      UNIQUE (role, counted)
    ) STRICT;
    CREATE INDEX attempt_windows_end ON attempt_windows (ends_at);

    CREATE TABLE attempts (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      address_window INTEGER NOT NULL,
      role_window INTEGER NOT NULL,
      begun_at INTEGER NOT NULL,
      ends_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX attempts_of_address ON attempts (address_window, begun_at);
    CREATE INDEX attempts_of_role ON attempts (role_window, begun_at);
    CREATE INDEX attempts_end ON attempts (ends_at);

    CREATE TABLE sessions (
      token_hash TEXT NOT NULL PRIMARY KEY,
      account TEXT NOT NULL,
      api_key TEXT,
      actor TEXT NOT NULL,
      scope TEXT NOT NULL,
      display_name TEXT,
      started_at INTEGER NOT NULL,
      ends_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sessions_end ON sessions (ends_at);
    CREATE INDEX sessions_of_account ON sessions (account, started_at, token_hash);
    CREATE INDEX sessions_of_actor ON sessions (account, actor, started_at, token_hash);

    CREATE TABLE sign_in_links (
      token_hash TEXT NOT NULL PRIMARY KEY,
      account TEXT NOT NULL,
      actor TEXT NOT NULL,
      scope TEXT NOT NULL,
      ends_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sign_in_links_end ON sign_in_links (ends_at);

    CREATE TABLE session_refusals (
      account TEXT NOT NULL PRIMARY KEY,
      told_at INTEGER NOT NULL
    ) STRICT;

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
      recorded_at INTEGER NOT NULL,
      name TEXT,
      number INTEGER,
      account_number INTEGER,
      PRIMARY KEY (at, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX events_of_account ON events (account, at, id);
    CREATE INDEX events_of_pin ON events (pin, at, id) WHERE pin IS NOT NULL;
    CREATE INDEX events_recorded ON events (recorded_at);
    CREATE UNIQUE INDEX events_number ON events (number);
    CREATE UNIQUE INDEX events_account_number ON events (account, account_number) WHERE account IS NOT NULL;

    CREATE TABLE feed (
      one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
      id TEXT NOT NULL
    ) STRICT;
    INSERT INTO feed (one, id) VALUES (1, lower(hex(randomblob(16))));

    CREATE TABLE feed_begins (
      account TEXT NOT NULL PRIMARY KEY,
      number INTEGER NOT NULL,
      event TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE views (
      role TEXT NOT NULL,
      day INTEGER NOT NULL,
      views INTEGER NOT NULL,
      refused_passwords INTEGER NOT NULL,
      PRIMARY KEY (role, day)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX views_of_day ON views (day);

    CREATE TABLE names (
      account TEXT NOT NULL,
      name TEXT NOT NULL,
      token TEXT NOT NULL UNIQUE,
      role TEXT NOT NULL REFERENCES roles (id),
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (account, name)
    ) STRICT, WITHOUT ROWID;

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

    CREATE TABLE service_mode (
      one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
      kind TEXT NOT NULL,
      message TEXT
    ) STRICT;
    INSERT INTO service_mode (one, kind, message) VALUES (1, 'normal', NULL);

    CREATE TABLE import_mark (
      one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
      token TEXT NOT NULL
    ) STRICT;
  `,
};

/** All steps in order of version. Add new ones at the end; never change one that was released. */
export const MIGRATIONS: readonly Migration[] = [firstRelease];

export const NEWEST_VERSION: number = MIGRATIONS.at(-1)?.version ?? 0;
