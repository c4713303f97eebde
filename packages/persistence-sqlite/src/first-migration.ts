import type { Migration } from '@pinfold/core/adapter';

/**
 * Roles, manifests, Idempotency-Keys, API keys, tries of passwords.
 *
 * An archive is named by a record while its manifest is there. `ended_at` is when viewers lost the role for good;
 * a role waits for its cleanup in `roles_ended`, and after a claim or a failure in `roles_waiting`.
 */
export const first: Migration = {
  version: 1,
  release: '0.1.0',
  oldestVersion: 1,
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
      ended_at INTEGER GENERATED ALWAYS AS (coalesce(min(deleted_at, expires_at), deleted_at, expires_at)) VIRTUAL
    ) STRICT;
    CREATE INDEX roles_listed ON roles (account, published_at, id, expires_at, deleted_at) WHERE deleted_at IS NULL;
    CREATE INDEX roles_deleted ON roles (account, published_at, id) WHERE deleted_at IS NOT NULL;
    CREATE INDEX roles_ended ON roles (ended_at) WHERE archive_kept = 1 AND not_before IS NULL;
    CREATE INDEX roles_waiting ON roles (not_before) WHERE archive_kept = 1 AND not_before IS NOT NULL;

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

    CREATE TABLE sweep_turn (
      one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
      taken_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE api_keys (
      id TEXT NOT NULL PRIMARY KEY,
      account TEXT NOT NULL,
      scopes TEXT NOT NULL,
      label TEXT NOT NULL,
      secret_hash TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      revoked_at INTEGER
    ) STRICT;
    CREATE INDEX api_keys_in_order ON api_keys (created_at, id);
    CREATE INDEX api_keys_of_account ON api_keys (account, created_at, id);

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
      address_window INTEGER NOT NULL REFERENCES attempt_windows (id) ON DELETE CASCADE,
      role_window INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX attempts_of_window ON attempts (address_window);
  `,
};
