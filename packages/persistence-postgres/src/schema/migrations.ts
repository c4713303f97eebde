import type { Migration } from '@pinfold/core/adapter';
import type { Tables } from './tables.ts';

/** A step of the schema: its SQL gets the qualified names of the tables. */
export type PostgresMigration = Migration<(tables: Tables) => string>;

/** The expression of a new feed's id. */
export const NEW_FEED = "pg_catalog.replace(pg_catalog.gen_random_uuid()::text, '-', '')";

/** A publication leaves four or five dead rows; by default a table of 100 million rows is vacuumed after 20 million. */
const VACUUM = 'autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02';

/**
 * The schema of the first release.
 *
 * An archive exists for this database while `manifests` has its row. `roles.ended_at` is the instant from which viewers
 * never see the role again. A role awaits cleanup in the index `roles_ended`, and after a claim or a failed cleanup in
 * `roles_waiting`; `roles_expiring` finds expired roles that have no event about it yet. Rows of `attempts` are tries of
 * passwords that are not settled yet.
 *
 * Text that is compared or sorted has the collation "C", whose order is that of code points on every server. A fill
 * factor leaves room on the page for the next version of a row whose indexed columns rarely change.
 *
 * `events.number` is an event's place in the feed of all accounts, `account_number` in that of its account, both null
 * until the event is numbered. `turn` comes from a sequence when the event is inserted: an event that was committed
 * before another transaction began has the lower one. `feed_begins` has the last event that was dropped of each account's
 * feed and, under the account '', of the feed of all accounts.
 *
 * The function is for triggers that refuse changes during an import, also those of releases that know no imports. The
 * import sets `pinfold.importing` in each of its transactions.
 */
const firstRelease: PostgresMigration = {
  version: 16,
  release: '0.1.0',
  oldestVersion: 16,
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
      archive_bytes bigint NOT NULL,
      sha256 text COLLATE "C" NOT NULL,
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
      last_event_at bigint NOT NULL DEFAULT 0,
      expiry_told boolean NOT NULL DEFAULT false,
      purged boolean NOT NULL DEFAULT false,
      ended_at bigint GENERATED ALWAYS AS (least(deleted_at, expires_at)) STORED
    ) WITH (fillfactor = 85, ${VACUUM});
    CREATE INDEX roles_listed ON ${tables.roles} (account, published_at, id) INCLUDE (expires_at)
      WHERE deleted_at IS NULL;
    CREATE INDEX roles_deleted ON ${tables.roles} (account, published_at, id) WHERE deleted_at IS NOT NULL;
    CREATE INDEX roles_newest ON ${tables.roles} (published_at, id) INCLUDE (expires_at) WHERE deleted_at IS NULL;
    CREATE INDEX roles_ending ON ${tables.roles} (account, coalesce(9007199254740991 - expires_at, 0), id)
      WHERE deleted_at IS NULL;
    CREATE INDEX roles_largest ON ${tables.roles} (account, archive_bytes, id) INCLUDE (expires_at)
      WHERE deleted_at IS NULL;
    CREATE INDEX roles_newest_deleted ON ${tables.roles} (published_at, id) WHERE deleted_at IS NOT NULL;
    CREATE INDEX roles_in_service ON ${tables.roles} (account, expires_at) INCLUDE (archive_bytes)
      WHERE deleted_at IS NULL;
    CREATE INDEX roles_sha256 ON ${tables.roles} (sha256) WHERE deleted_at IS NULL;
    CREATE INDEX roles_archive ON ${tables.roles} (archive);
    CREATE INDEX roles_ended ON ${tables.roles} (ended_at) WHERE archive_kept AND not_before IS NULL;
    CREATE INDEX roles_waiting ON ${tables.roles} (not_before) WHERE archive_kept AND not_before IS NOT NULL;
    CREATE INDEX roles_expiring ON ${tables.roles} (expires_at)
      WHERE NOT expiry_told AND (deleted_at IS NULL OR deleted_at >= expires_at);

    CREATE TABLE ${tables.manifests} (
      archive text COLLATE "C" PRIMARY KEY,
      manifest text NOT NULL
    ) WITH (${VACUUM}, toast.autovacuum_vacuum_scale_factor = 0.01);

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
    ) WITH (${VACUUM});
    CREATE INDEX idempotency_keys_reserved ON ${tables.idempotencyKeys} (begun_at) WHERE role IS NULL;

    CREATE TABLE ${tables.comparison} (
      one smallint PRIMARY KEY CHECK (one = 1),
      version bigint NOT NULL,
      comparison text NOT NULL
    );

    CREATE TABLE ${tables.accounts} (
      name text COLLATE "C" PRIMARY KEY,
      version bigint NOT NULL,
      limits text NOT NULL,
      blocked text NOT NULL,
      generation bigint NOT NULL,
      last_published_at bigint,
      publications_mark bigint
    ) WITH (fillfactor = 85, ${VACUUM});

    CREATE TABLE ${tables.apiKeys} (
      id text COLLATE "C" PRIMARY KEY,
      account text COLLATE "C" NOT NULL,
      scopes text NOT NULL,
      label text NOT NULL,
      secret_hash text NOT NULL,
      created_at bigint NOT NULL,
      last_used_at bigint,
      revoked_at bigint,
      very_first boolean CHECK (very_first) UNIQUE,
      ensured boolean NOT NULL
    );
    CREATE INDEX api_keys_in_order ON ${tables.apiKeys} (created_at, id);
    CREATE INDEX api_keys_of_account ON ${tables.apiKeys} (account, created_at, id);
    CREATE INDEX api_keys_live ON ${tables.apiKeys} (account) WHERE revoked_at IS NULL;
    CREATE INDEX api_keys_revoked ON ${tables.apiKeys} (revoked_at) WHERE revoked_at IS NOT NULL AND NOT ensured;

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
      begun_at bigint NOT NULL,
      ends_at bigint NOT NULL,
      role_ends_at bigint NOT NULL
    );
    CREATE INDEX attempts_of_window ON ${tables.attempts} (role, counted);
    CREATE INDEX attempts_end ON ${tables.attempts} (greatest(ends_at, role_ends_at));

    CREATE TABLE ${tables.sessions} (
      token_hash text COLLATE "C" PRIMARY KEY,
      account text COLLATE "C" NOT NULL,
      api_key text COLLATE "C",
      actor text NOT NULL,
      scope text COLLATE "C" NOT NULL,
      display_name text COLLATE "C",
      started_at bigint NOT NULL,
      ends_at bigint NOT NULL
    );
    CREATE INDEX sessions_end ON ${tables.sessions} (ends_at);
    CREATE INDEX sessions_of_account ON ${tables.sessions} (account, started_at, token_hash);
    CREATE INDEX sessions_of_actor ON ${tables.sessions} (account, actor, started_at, token_hash);

    CREATE TABLE ${tables.signInLinks} (
      token_hash text COLLATE "C" PRIMARY KEY,
      account text COLLATE "C" NOT NULL,
      actor text NOT NULL,
      scope text COLLATE "C" NOT NULL,
      ends_at bigint NOT NULL
    );
    CREATE INDEX sign_in_links_end ON ${tables.signInLinks} (ends_at);

    CREATE TABLE ${tables.sessionRefusals} (
      account text COLLATE "C" PRIMARY KEY,
      told_at bigint NOT NULL
    );

    CREATE TABLE ${tables.pairings} (
      secret_hash text COLLATE "C" PRIMARY KEY,
      account text COLLATE "C",
      scopes text,
      label text,
      actor text,
      session text COLLATE "C",
      api_key text COLLATE "C",
      ends_at bigint NOT NULL
    );
    CREATE INDEX pairings_ended ON ${tables.pairings} (ends_at);
    CREATE INDEX pairings_agreed ON ${tables.pairings} (account, actor, session);

    CREATE TABLE ${tables.events} (
      at bigint NOT NULL,
      id text COLLATE "C" NOT NULL,
      type text COLLATE "C" NOT NULL,
      account text COLLATE "C",
      pin text COLLATE "C",
      actor text COLLATE "C" NOT NULL,
      request text COLLATE "C",
      address text COLLATE "C",
      as_operator boolean NOT NULL,
      recorded_at bigint NOT NULL,
      name text COLLATE "C",
      turn bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
      number bigint,
      account_number bigint,
      PRIMARY KEY (at, id)
    ) WITH (${VACUUM});
    CREATE INDEX events_of_account ON ${tables.events} (account, at, id);
    CREATE INDEX events_of_pin ON ${tables.events} (pin, at, id) WHERE pin IS NOT NULL;
    CREATE INDEX events_recorded ON ${tables.events} (recorded_at);
    CREATE INDEX events_unnumbered ON ${tables.events} (turn, at, id) WHERE number IS NULL;
    CREATE UNIQUE INDEX events_number ON ${tables.events} (number) WHERE number IS NOT NULL;
    CREATE UNIQUE INDEX events_account_number ON ${tables.events} (account, account_number)
      WHERE account_number IS NOT NULL;

    CREATE TABLE ${tables.feed} (
      one smallint PRIMARY KEY CHECK (one = 1),
      id text COLLATE "C" NOT NULL
    );
    INSERT INTO ${tables.feed} (one, id) VALUES (1, ${NEW_FEED});
    CREATE TABLE ${tables.feedBegins} (
      account text COLLATE "C" PRIMARY KEY,
      number bigint NOT NULL,
      event text COLLATE "C" NOT NULL
    );

    CREATE TABLE ${tables.views} (
      role text COLLATE "C" NOT NULL,
      day bigint NOT NULL,
      views bigint NOT NULL,
      refused_passwords bigint NOT NULL,
      PRIMARY KEY (role, day)
    ) WITH (fillfactor = 85, ${VACUUM});
    CREATE INDEX views_of_day ON ${tables.views} (day);

    CREATE TABLE ${tables.names} (
      account text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      token text COLLATE "C" NOT NULL UNIQUE,
      role text COLLATE "C" NOT NULL REFERENCES ${tables.roles} (id),
      updated_at bigint NOT NULL,
      PRIMARY KEY (account, name)
    ) WITH (fillfactor = 85, ${VACUUM});

    CREATE TABLE ${tables.takedowns} (
      id text COLLATE "C" NOT NULL,
      account text COLLATE "C" NOT NULL,
      sha256 text COLLATE "C" NOT NULL,
      reason text NOT NULL,
      at bigint NOT NULL,
      lifted_at bigint,
      PRIMARY KEY (id, sha256)
    );
    CREATE INDEX takedowns_forbidden ON ${tables.takedowns} (sha256, at, id) WHERE lifted_at IS NULL;
    CREATE INDEX takedowns_listed ON ${tables.takedowns} (at, id, sha256) WHERE lifted_at IS NULL;

    CREATE TABLE ${tables.serviceMode} (
      one integer PRIMARY KEY CHECK (one = 1),
      kind text NOT NULL,
      message text
    );
    INSERT INTO ${tables.serviceMode} (one, kind) VALUES (1, 'normal');

    CREATE TABLE ${tables.importMark} (
      one smallint PRIMARY KEY CHECK (one = 1),
      token text COLLATE "C" NOT NULL
    );
    CREATE FUNCTION ${tables.refuseWhileImporting}() RETURNS trigger LANGUAGE plpgsql AS $function$
    BEGIN
      IF pg_catalog.current_setting('pinfold.importing', true) = 'on' THEN
        RETURN NULL;
      END IF;
      RAISE EXCEPTION 'an import into this database has not ended' USING ERRCODE = 'PF001';
    END
    $function$;
  `,
};

/** All steps in order of version. Add new ones at the end; never change one that was released. */
export const MIGRATIONS: readonly PostgresMigration[] = [firstRelease];

export const NEWEST_VERSION: number = MIGRATIONS.at(-1)?.version ?? 0;
