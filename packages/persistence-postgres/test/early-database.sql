-- A database with version 12 of the schema.
CREATE TABLE schema_state (
  one smallint PRIMARY KEY CHECK (one = 1),
  version bigint NOT NULL,
  oldest_version bigint NOT NULL,
  oldest_release text NOT NULL
);
INSERT INTO schema_state VALUES (1, 12, 1, '0.1.0');

CREATE TABLE roles (
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
CREATE INDEX roles_listed ON roles (account, published_at, id) INCLUDE (expires_at)
  WHERE deleted_at IS NULL;
CREATE INDEX roles_deleted ON roles (account, published_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX roles_ended ON roles (ended_at) WHERE archive_kept AND not_before IS NULL;
CREATE INDEX roles_waiting ON roles (not_before) WHERE archive_kept AND not_before IS NOT NULL;

CREATE TABLE manifests (
  archive text COLLATE "C" PRIMARY KEY,
  manifest text NOT NULL
);

CREATE TABLE idempotency_keys (
  account text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL,
  begun_at bigint NOT NULL,
  held_until bigint NOT NULL,
  role text COLLATE "C" REFERENCES roles (id),
  warnings text,
  PRIMARY KEY (account, key)
);
CREATE INDEX idempotency_keys_reserved ON idempotency_keys (begun_at) WHERE role IS NULL;

CREATE TABLE sweep_turn (
  one smallint PRIMARY KEY CHECK (one = 1),
  taken_at bigint NOT NULL
);

CREATE TABLE api_keys (
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
CREATE INDEX api_keys_in_order ON api_keys (created_at, id);
CREATE INDEX api_keys_of_account ON api_keys (account, created_at, id);

CREATE TABLE attempt_windows (
  role text COLLATE "C" NOT NULL,
  counted text COLLATE "C" NOT NULL,
  ends_at bigint NOT NULL,
  tries bigint NOT NULL,
  PRIMARY KEY (role, counted)
);
CREATE INDEX attempt_windows_end ON attempt_windows (ends_at);

CREATE TABLE attempts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  role text COLLATE "C" NOT NULL,
  counted text COLLATE "C" NOT NULL,
  ends_at bigint NOT NULL,
  role_ends_at bigint NOT NULL,
  FOREIGN KEY (role, counted) REFERENCES attempt_windows (role, counted) ON DELETE CASCADE
);
CREATE INDEX attempts_of_window ON attempts (role, counted);

CREATE TABLE sessions (
  token_hash text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  api_key text COLLATE "C",
  started_at bigint NOT NULL,
  ends_at bigint NOT NULL
);
CREATE INDEX sessions_end ON sessions (ends_at);

CREATE TABLE sign_in_links (
  token_hash text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  ends_at bigint NOT NULL
);
CREATE INDEX sign_in_links_end ON sign_in_links (ends_at);

ALTER TABLE attempts DROP CONSTRAINT attempts_role_counted_fkey;
ALTER TABLE attempts ADD COLUMN begun_at bigint NOT NULL DEFAULT 0;
CREATE INDEX attempts_end ON attempts (greatest(ends_at, role_ends_at));

CREATE TABLE comparison (
  one smallint PRIMARY KEY CHECK (one = 1),
  version bigint NOT NULL,
  comparison text NOT NULL
);
CREATE INDEX roles_archive ON roles (archive);
ALTER TABLE roles SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE idempotency_keys SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE manifests SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.01);

CREATE TABLE events (
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
ALTER TABLE events SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX events_of_account ON events (account, at, id);
CREATE INDEX events_of_pin ON events (pin, at, id) WHERE pin IS NOT NULL;

CREATE TABLE session_refusals (
  account text COLLATE "C" PRIMARY KEY,
  told_at bigint NOT NULL
);

ALTER TABLE roles ADD COLUMN last_event_at bigint NOT NULL DEFAULT 0;
ALTER TABLE roles ADD COLUMN expiry_told boolean NOT NULL DEFAULT true;
ALTER TABLE roles ALTER COLUMN expiry_told SET DEFAULT false;
UPDATE roles SET expiry_told = false
  WHERE expires_at IS NULL OR expires_at > extract(epoch FROM pg_catalog.clock_timestamp()) * 1000;
CREATE INDEX roles_expiring ON roles (expires_at)
  WHERE NOT expiry_told AND (deleted_at IS NULL OR deleted_at >= expires_at);

ALTER TABLE sessions ADD COLUMN actor text NOT NULL DEFAULT '{"kind":"operator","id":null}';
UPDATE sessions SET actor = pg_catalog.json_build_object('kind', 'key', 'id', api_key)::text
  WHERE api_key IS NOT NULL;
ALTER TABLE sign_in_links ADD COLUMN actor text NOT NULL DEFAULT '{"kind":"operator","id":null}';

CREATE TABLE accounts (
  name text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL,
  limits text NOT NULL,
  blocked text NOT NULL,
  generation bigint NOT NULL,
  last_published_at bigint,
  publications_mark bigint
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02);
INSERT INTO accounts (name, version, limits, blocked, generation, last_published_at)
SELECT account, 1, '{"requests":null,"publications":null,"sites":null,"bytes":null}', 'null', 1, max(at) FROM (
  SELECT account, published_at AS at FROM roles
  UNION ALL SELECT account, NULL FROM api_keys
  UNION ALL SELECT account, NULL FROM sessions
) AS known GROUP BY account;

ALTER TABLE roles ADD COLUMN archive_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE roles ADD COLUMN sha256 text COLLATE "C" NOT NULL DEFAULT '';
UPDATE roles AS roles SET
  sha256 = coalesce((
    SELECT keys.fingerprint::json ->> 0 FROM idempotency_keys AS keys
    WHERE keys.account = roles.account AND keys.key = roles.idempotency_key
  ), ''),
  archive_bytes = coalesce((
    SELECT max((file ->> 1)::bigint + (file ->> 2)::bigint)
    FROM manifests AS manifests, pg_catalog.json_array_elements(manifests.manifest::json -> 1) AS file
    WHERE manifests.archive = roles.archive
  ), 0);
CREATE INDEX roles_in_service ON roles (account, expires_at) INCLUDE (archive_bytes) WHERE deleted_at IS NULL;
CREATE INDEX roles_sha256 ON roles (sha256) WHERE deleted_at IS NULL;

ALTER TABLE sessions ADD COLUMN scope text COLLATE "C" NOT NULL DEFAULT 'manage';
ALTER TABLE sessions ADD COLUMN display_name text COLLATE "C";

CREATE TABLE views (
  role text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  views bigint NOT NULL,
  refused_passwords bigint NOT NULL,
  PRIMARY KEY (role, day)
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX views_of_day ON views (day);

CREATE TABLE takedowns (
  id text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  sha256 text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  at bigint NOT NULL,
  lifted_at bigint,
  PRIMARY KEY (id, sha256)
);
CREATE INDEX takedowns_forbidden ON takedowns (sha256, at, id) WHERE lifted_at IS NULL;
CREATE INDEX takedowns_listed ON takedowns (at, id, sha256) WHERE lifted_at IS NULL;

ALTER TABLE roles ADD COLUMN purged boolean NOT NULL DEFAULT false;
CREATE INDEX roles_newest ON roles (published_at, id) INCLUDE (expires_at) WHERE deleted_at IS NULL;
CREATE INDEX roles_newest_deleted ON roles (published_at, id) WHERE deleted_at IS NOT NULL;

CREATE TABLE import_mark (
  one smallint PRIMARY KEY CHECK (one = 1),
  token text COLLATE "C" NOT NULL
);
CREATE FUNCTION refuse_while_importing() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF pg_catalog.current_setting('pinfold.importing', true) = 'on' THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'an import into this database has not ended' USING ERRCODE = 'PF001';
END
$function$;

CREATE TABLE service_mode (
  one integer PRIMARY KEY CHECK (one = 1),
  kind text NOT NULL,
  message text
);
INSERT INTO service_mode (one, kind) VALUES (1, 'normal');

CREATE TABLE pairings (
  secret_hash text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  scopes text NOT NULL,
  label text NOT NULL,
  actor text NOT NULL,
  ends_at bigint NOT NULL
);
CREATE INDEX pairings_ended ON pairings (ends_at);

ALTER TABLE sign_in_links ADD COLUMN scope text COLLATE "C" NOT NULL DEFAULT 'manage';

INSERT INTO roles (id, version, account, archive, idempotency_key, title, original_filename, file_count, size,
  published_at, pinned, generation, title_folded, last_event_at, archive_bytes, sha256)
VALUES ('xvqxr5rbq7kxlevn', 1, 'acme', '7d9f8a6c4b3e2d1f', 'key-1', 'Plan', 'site.zip', 1, 300,
  1750000000000, false, 1, 'plan', 1750000000000, 141, 'abc');
INSERT INTO manifests (archive, manifest) VALUES ('7d9f8a6c4b3e2d1f', '[]');
INSERT INTO idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role, warnings)
VALUES ('acme', 'key-1', '["abc","site.zip",null]', 't', 0, 0, 'xvqxr5rbq7kxlevn', '[]');
INSERT INTO accounts (name, version, limits, blocked, generation, last_published_at)
VALUES ('acme', 1, '{}', 'null', 1, 1750000000000);
INSERT INTO api_keys (id, account, scopes, label, secret_hash, created_at)
VALUES ('k1', 'acme', '["manage"]', 'ci', 'hash', 1750000000000);
INSERT INTO sessions (token_hash, account, api_key, started_at, ends_at)
VALUES ('s1', 'acme', NULL, 1750000000000, 1750003600000);
INSERT INTO events (at, id, type, account, pin, actor, as_operator)
VALUES (1750000000000, 'e1', 'pin.published', 'acme', 'xvqxr5rbq7kxlevn', '{"kind":"key","id":"k1"}', false);
INSERT INTO pairings (secret_hash, account, scopes, label, actor, ends_at)
VALUES ('p1', 'acme', '["manage"]', 'laptop', '{"kind":"key","id":"k1"}', 1750000600000);
