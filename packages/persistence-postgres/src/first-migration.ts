import type { Migration } from '@pinfold/core/adapter';
import type { Tables } from './tables.ts';

/** A step of the schema: its SQL names the tables of the schema that it is for. */
export type PostgresMigration = Migration<(tables: Tables) => string>;

/**
 * Roles, manifests, Idempotency-Keys, API keys, tries of passwords, sessions of the management screen.
 *
 * An archive is named by a record while its manifest is there. `ended_at` is when viewers lost the role for good;
 * a role waits for its cleanup in `roles_ended`, and after a claim or a failure in `roles_waiting`.
 * Text that is compared or sorted has the collation "C", whose order is that of code points on every server.
 */
export const first: PostgresMigration = {
  version: 1,
  release: '0.1.0',
  oldestVersion: 1,
  sql: (tables) => `
    CREATE TABLE ${tables.roles} (
      id text COLLATE "C" PRIMARY KEY,
      version bigint NOT NULL,
      account text COLLATE "C" NOT NULL,
      archive text COLLATE "C" NOT NULL,
      idempotency_key text COLLATE "C" NOT NULL,
      title text COLLATE "C",
      original_filename text COLLATE "C" NOT NULL,
      file_count bigint NOT NULL,
      size bigint NOT NULL,
      published_at bigint NOT NULL,
      expires_at bigint,
      pinned boolean NOT NULL,
      deleted_at bigint,
      password_hash text COLLATE "C",
      generation bigint NOT NULL,
      title_folded text COLLATE "C" NOT NULL,
      archive_kept boolean NOT NULL DEFAULT true,
      claim_token text COLLATE "C",
      not_before bigint,
      failures bigint NOT NULL DEFAULT 0,
      ended_at bigint GENERATED ALWAYS AS (least(deleted_at, expires_at)) STORED
    );
    CREATE INDEX roles_listed ON ${tables.roles} (account, published_at, id) INCLUDE (expires_at)
      WHERE deleted_at IS NULL;
    CREATE INDEX roles_deleted ON ${tables.roles} (account, published_at, id) WHERE deleted_at IS NOT NULL;
    CREATE INDEX roles_ended ON ${tables.roles} (ended_at) WHERE archive_kept AND not_before IS NULL;
    CREATE INDEX roles_waiting ON ${tables.roles} (not_before) WHERE archive_kept AND not_before IS NOT NULL;

    CREATE TABLE ${tables.manifests} (
      archive text COLLATE "C" PRIMARY KEY,
      manifest text NOT NULL
    );

    CREATE TABLE ${tables.idempotencyKeys} (
      account text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      fingerprint text COLLATE "C" NOT NULL,
      token text COLLATE "C" NOT NULL,
      begun_at bigint NOT NULL,
      held_until bigint NOT NULL,
      role text COLLATE "C" REFERENCES ${tables.roles} (id),
      warnings text,
      PRIMARY KEY (account, key)
    );
    CREATE INDEX idempotency_keys_reserved ON ${tables.idempotencyKeys} (begun_at) WHERE role IS NULL;

    CREATE TABLE ${tables.sweepTurn} (
      one smallint PRIMARY KEY CHECK (one = 1),
      taken_at bigint NOT NULL
    );

    CREATE TABLE ${tables.apiKeys} (
      id text COLLATE "C" PRIMARY KEY,
      account text COLLATE "C" NOT NULL,
      scopes text NOT NULL,
      label text NOT NULL,
      secret_hash text NOT NULL,
      created_at bigint NOT NULL,
      last_used_at bigint,
      revoked_at bigint,
      very_first boolean CHECK (very_first) UNIQUE
    );
    CREATE INDEX api_keys_in_order ON ${tables.apiKeys} (created_at, id);
    CREATE INDEX api_keys_of_account ON ${tables.apiKeys} (account, created_at, id);

    CREATE TABLE ${tables.attemptWindows} (
      role text COLLATE "C" NOT NULL,
      counted text COLLATE "C" NOT NULL,
      ends_at bigint NOT NULL,
      tries bigint NOT NULL,
      PRIMARY KEY (role, counted)
    );
    CREATE INDEX attempt_windows_end ON ${tables.attemptWindows} (ends_at);

    CREATE TABLE ${tables.attempts} (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      role text COLLATE "C" NOT NULL,
      counted text COLLATE "C" NOT NULL,
      ends_at bigint NOT NULL,
      role_ends_at bigint NOT NULL,
      FOREIGN KEY (role, counted) REFERENCES ${tables.attemptWindows} (role, counted) ON DELETE CASCADE
    );
    CREATE INDEX attempts_of_window ON ${tables.attempts} (role, counted);

    CREATE TABLE ${tables.sessions} (
      token_hash text COLLATE "C" PRIMARY KEY,
      account text COLLATE "C" NOT NULL,
      api_key text COLLATE "C",
      started_at bigint NOT NULL,
      ends_at bigint NOT NULL
    );
    CREATE INDEX sessions_end ON ${tables.sessions} (ends_at);

    CREATE TABLE ${tables.signInLinks} (
      token_hash text COLLATE "C" PRIMARY KEY,
      account text COLLATE "C" NOT NULL,
      ends_at bigint NOT NULL
    );
    CREATE INDEX sign_in_links_end ON ${tables.signInLinks} (ends_at);
  `,
};
