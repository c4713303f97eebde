import { FIRST_GENERATION, NO_LIMITS } from '@pinfold/core/adapter';
import { first, type PostgresMigration } from './first-migration.ts';

/**
 * Tries under way, told from wrong ones: a row of `attempts` is one that nobody has settled, and goes with neither of
 * its windows alone. Tries that an older release counts beside this one are wrong from their beginning.
 */
const tries: PostgresMigration = {
  version: 2,
  release: '0.1.0',
  oldestVersion: 1,
  sql: ({ attempts }) => `
    ALTER TABLE ${attempts} DROP CONSTRAINT attempts_role_counted_fkey;
    ALTER TABLE ${attempts} ADD COLUMN begun_at bigint NOT NULL DEFAULT 0;
    CREATE INDEX attempts_end ON ${attempts} (greatest(ends_at, role_ends_at));
  `,
};

/**
 * How far storage is compared with the records; `sweep_turn` is left to the release before. The index finds whose an
 * archive is.
 *
 * A publication leaves four or five dead rows. By the server's defaults a table of 100 million rows is vacuumed after 20
 * million of them. With room on its page a role that is renamed stays where its indexes find it; an Idempotency-Key gets
 * none, since its one change touches an index anyhow and comes at once.
 */
const comparison: PostgresMigration = {
  version: 3,
  release: '0.1.0',
  oldestVersion: 1,
  sql: ({ comparison, roles, idempotencyKeys, manifests }) => `
    CREATE TABLE ${comparison} (
      one smallint PRIMARY KEY CHECK (one = 1),
      version bigint NOT NULL,
      comparison text NOT NULL
    );
    CREATE INDEX roles_archive ON ${roles} (archive);
    ALTER TABLE ${roles} SET (fillfactor = 85, ${VACUUM});
    ALTER TABLE ${idempotencyKeys} SET (${VACUUM});
    ALTER TABLE ${manifests} SET (${VACUUM}, toast.autovacuum_vacuum_scale_factor = 0.01);
  `,
};

const VACUUM = 'autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02';

/**
 * The history. Of roles that expired before it began none is told, which those in service are marked for; sessions that
 * began before it are their key's, or the operator's. The index of roles finds those that expired and of which no event
 * tells.
 */
const history: PostgresMigration = {
  version: 4,
  release: '0.1.0',
  oldestVersion: 1,
  sql: ({ events, sessionRefusals, roles, sessions, signInLinks }) => `
    CREATE TABLE ${events} (
      at bigint NOT NULL,
      id text COLLATE "C" NOT NULL,
      type text COLLATE "C" NOT NULL,
      account text COLLATE "C",
      pin text COLLATE "C",
      actor text COLLATE "C" NOT NULL,
      request text COLLATE "C",
      address text COLLATE "C",
      as_operator boolean NOT NULL,
      PRIMARY KEY (at, id)
    );
    ALTER TABLE ${events} SET (${VACUUM});
    CREATE INDEX events_of_account ON ${events} (account, at, id);
    CREATE INDEX events_of_pin ON ${events} (pin, at, id) WHERE pin IS NOT NULL;

    CREATE TABLE ${sessionRefusals} (
      account text COLLATE "C" PRIMARY KEY,
      told_at bigint NOT NULL
    );

    ALTER TABLE ${roles} ADD COLUMN last_event_at bigint NOT NULL DEFAULT 0;
    ALTER TABLE ${roles} ADD COLUMN expiry_told boolean NOT NULL DEFAULT true;
    ALTER TABLE ${roles} ALTER COLUMN expiry_told SET DEFAULT false;
    UPDATE ${roles} SET expiry_told = false
      WHERE expires_at IS NULL OR expires_at > extract(epoch FROM pg_catalog.clock_timestamp()) * 1000;
    CREATE INDEX roles_expiring ON ${roles} (expires_at)
      WHERE NOT expiry_told AND (deleted_at IS NULL OR deleted_at >= expires_at);

    ALTER TABLE ${sessions} ADD COLUMN actor text NOT NULL DEFAULT '{"kind":"operator","id":null}';
    UPDATE ${sessions} SET actor = pg_catalog.json_build_object('kind', 'key', 'id', api_key)::text
      WHERE api_key IS NOT NULL;
    ALTER TABLE ${signInLinks} ADD COLUMN actor text NOT NULL DEFAULT '{"kind":"operator","id":null}';
  `,
};

/**
 * What is known of accounts, and of each archive how large it was and what it was. A role published before has its bytes
 * up to the end of its last file, and none once its manifest is gone.
 */
const accounts: PostgresMigration = {
  version: 5,
  release: '0.1.0',
  oldestVersion: 1,
  sql: ({ accounts, roles, apiKeys, sessions, idempotencyKeys, manifests }) => `
    CREATE TABLE ${accounts} (
      name text COLLATE "C" PRIMARY KEY,
      version bigint NOT NULL,
      limits text NOT NULL,
      blocked text NOT NULL,
      generation bigint NOT NULL,
      last_published_at bigint,
      publications_mark bigint
    ) WITH (fillfactor = 85, ${VACUUM});
    INSERT INTO ${accounts} (name, version, limits, blocked, generation, last_published_at)
    SELECT account, 1, '${JSON.stringify(NO_LIMITS)}', 'null', ${FIRST_GENERATION}, max(at) FROM (
      SELECT account, published_at AS at FROM ${roles}
      UNION ALL SELECT account, NULL FROM ${apiKeys}
      UNION ALL SELECT account, NULL FROM ${sessions}
    ) AS known GROUP BY account;

    ALTER TABLE ${roles} ADD COLUMN archive_bytes bigint NOT NULL DEFAULT 0;
    ALTER TABLE ${roles} ADD COLUMN sha256 text COLLATE "C" NOT NULL DEFAULT '';
    UPDATE ${roles} AS roles SET
      sha256 = coalesce((
        SELECT keys.fingerprint::json ->> 0 FROM ${idempotencyKeys} AS keys
        WHERE keys.account = roles.account AND keys.key = roles.idempotency_key
      ), ''),
      archive_bytes = coalesce((
        SELECT max((file ->> 1)::bigint + (file ->> 2)::bigint)
        FROM ${manifests} AS manifests, pg_catalog.json_array_elements(manifests.manifest::json -> 1) AS file
        WHERE manifests.archive = roles.archive
      ), 0);
    CREATE INDEX roles_in_service ON ${roles} (account, expires_at) INCLUDE (archive_bytes) WHERE deleted_at IS NULL;
    CREATE INDEX roles_sha256 ON ${roles} (sha256) WHERE deleted_at IS NULL;
  `,
};

/** What a session lets its person do, and what the person is called. */
const sessionScopes: PostgresMigration = {
  version: 6,
  release: '0.1.0',
  oldestVersion: 1,
  sql: ({ sessions }) => `
    ALTER TABLE ${sessions} ADD COLUMN scope text COLLATE "C" NOT NULL DEFAULT 'manage';
    ALTER TABLE ${sessions} ADD COLUMN display_name text COLLATE "C";
  `,
};

/** How often each role was viewed, by day. With room on its page a day that grows stays where its indexes find it. */
const views: PostgresMigration = {
  version: 7,
  release: '0.1.0',
  oldestVersion: 1,
  sql: ({ views }) => `
    CREATE TABLE ${views} (
      role text COLLATE "C" NOT NULL,
      day bigint NOT NULL,
      views bigint NOT NULL,
      refused_passwords bigint NOT NULL,
      PRIMARY KEY (role, day)
    ) WITH (fillfactor = 85, ${VACUUM});
    CREATE INDEX views_of_day ON ${views} (day);
  `,
};

/** What was taken down, what is to go without a grace, and the lists of all roles. */
const takedowns: PostgresMigration = {
  version: 8,
  release: '0.1.0',
  oldestVersion: 1,
  sql: ({ takedowns, roles }) => `
    CREATE TABLE ${takedowns} (
      id text COLLATE "C" NOT NULL,
      account text COLLATE "C" NOT NULL,
      sha256 text COLLATE "C" NOT NULL,
      reason text NOT NULL,
      at bigint NOT NULL,
      lifted_at bigint,
      PRIMARY KEY (id, sha256)
    );
    CREATE INDEX takedowns_forbidden ON ${takedowns} (sha256, at, id) WHERE lifted_at IS NULL;
    CREATE INDEX takedowns_listed ON ${takedowns} (at, id, sha256) WHERE lifted_at IS NULL;

    ALTER TABLE ${roles} ADD COLUMN purged boolean NOT NULL DEFAULT false;
    CREATE INDEX roles_newest ON ${roles} (published_at, id) INCLUDE (expires_at) WHERE deleted_at IS NULL;
    CREATE INDEX roles_newest_deleted ON ${roles} (published_at, id) WHERE deleted_at IS NOT NULL;
  `,
};

/**
 * The mark of an import that has begun and not ended, and the function of the triggers that refuse changes meanwhile,
 * also those of nodes that know of no imports. The import itself says so in each of its transactions.
 */
const imports: PostgresMigration = {
  version: 9,
  release: '0.1.0',
  oldestVersion: 1,
  sql: ({ importMark, refuseWhileImporting }) => `
    CREATE TABLE ${importMark} (
      one smallint PRIMARY KEY CHECK (one = 1),
      token text COLLATE "C" NOT NULL
    );
    CREATE FUNCTION ${refuseWhileImporting}() RETURNS trigger LANGUAGE plpgsql AS $function$
    BEGIN
      IF pg_catalog.current_setting('pinfold.importing', true) = 'on' THEN
        RETURN NULL;
      END IF;
      RAISE EXCEPTION 'an import into this database has not ended' USING ERRCODE = 'PF001';
    END
    $function$;
  `,
};

/** The mode of the service. */
const mode: PostgresMigration = {
  version: 10,
  release: '0.1.0',
  oldestVersion: 1,
  sql: ({ serviceMode }) => `
    CREATE TABLE ${serviceMode} (
      one integer PRIMARY KEY CHECK (one = 1),
      kind text NOT NULL,
      message text
    );
    INSERT INTO ${serviceMode} (one, kind) VALUES (1, 'normal');
  `,
};

/** What people agreed to, until a program comes for its key. */
const pairings: PostgresMigration = {
  version: 11,
  release: '0.1.0',
  oldestVersion: 1,
  sql: ({ pairings }) => `
    CREATE TABLE ${pairings} (
      secret_hash text COLLATE "C" PRIMARY KEY,
      account text COLLATE "C" NOT NULL,
      scopes text NOT NULL,
      label text NOT NULL,
      actor text NOT NULL,
      ends_at bigint NOT NULL
    );
    CREATE INDEX pairings_ended ON ${pairings} (ends_at);
  `,
};

/** What the session of a link lets its person do. */
const linkScopes: PostgresMigration = {
  version: 12,
  release: '0.1.0',
  oldestVersion: 1,
  sql: ({ signInLinks }) =>
    `ALTER TABLE ${signInLinks} ADD COLUMN scope text COLLATE "C" NOT NULL DEFAULT 'manage'`,
};

/** When each event was recorded: the sweep drops it by that. Releases before this one do not write it. */
const recordedEvents: PostgresMigration = {
  version: 13,
  release: '0.1.0',
  oldestVersion: 13,
  sql: ({ events }) => `
    ALTER TABLE ${events} ADD COLUMN recorded_at bigint;
    UPDATE ${events} SET recorded_at = at;
    ALTER TABLE ${events} ALTER COLUMN recorded_at SET NOT NULL;
    CREATE INDEX events_recorded ON ${events} (recorded_at);
  `,
};

/** What bounds keys, sessions and programs that ask for a key. Programs that wait begin anew. */
const boundedKeys: PostgresMigration = {
  version: 14,
  release: '0.1.0',
  oldestVersion: 13,
  sql: ({ apiKeys, sessions, pairings }) => `
    ALTER TABLE ${apiKeys} ADD COLUMN ensured boolean NOT NULL DEFAULT false;
    CREATE INDEX api_keys_live ON ${apiKeys} (account) WHERE revoked_at IS NULL;
    CREATE INDEX api_keys_revoked ON ${apiKeys} (revoked_at) WHERE revoked_at IS NOT NULL AND NOT ensured;

    CREATE INDEX sessions_of_account ON ${sessions} (account, started_at, token_hash);
    CREATE INDEX sessions_of_actor ON ${sessions} (account, actor, started_at, token_hash);

    DELETE FROM ${pairings};
    ALTER TABLE ${pairings} ALTER COLUMN account DROP NOT NULL, ALTER COLUMN scopes DROP NOT NULL,
      ALTER COLUMN label DROP NOT NULL, ALTER COLUMN actor DROP NOT NULL,
      ADD COLUMN session text COLLATE "C", ADD COLUMN api_key text COLLATE "C";
    CREATE INDEX pairings_agreed ON ${pairings} (account, actor, session);
  `,
};

/** All steps, in order of version: each is added at the end, and never changed once released. */
export const MIGRATIONS: readonly PostgresMigration[] = [
  first,
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
