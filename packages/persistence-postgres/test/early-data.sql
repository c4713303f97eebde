-- A database with version 16 of the schema, and a row or more in each table.
CREATE TABLE schema_state (
  one smallint PRIMARY KEY CHECK (one = 1),
  version bigint NOT NULL,
  oldest_version bigint NOT NULL,
  oldest_release text NOT NULL
);
INSERT INTO schema_state VALUES (1, 16, 16, '0.1.0');

CREATE TABLE roles (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
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
);
CREATE INDEX roles_listed ON roles (account, published_at, id) INCLUDE (expires_at) WHERE deleted_at IS NULL;
CREATE INDEX roles_deleted ON roles (account, published_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX roles_newest ON roles (published_at, id) INCLUDE (expires_at) WHERE deleted_at IS NULL;
CREATE INDEX roles_largest ON roles (account, archive_bytes, id) INCLUDE (expires_at) WHERE deleted_at IS NULL;
CREATE INDEX roles_newest_deleted ON roles (published_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX roles_archive ON roles (archive);
CREATE INDEX roles_ended ON roles (ended_at) WHERE archive_kept AND not_before IS NULL;
CREATE INDEX roles_waiting ON roles (not_before) WHERE archive_kept AND not_before IS NOT NULL;
CREATE INDEX roles_expiring ON roles (expires_at)
  WHERE NOT expiry_told AND (deleted_at IS NULL OR deleted_at >= expires_at);

CREATE TABLE manifests (
  archive text COLLATE "C" NOT NULL PRIMARY KEY,
  manifest TEXT NOT NULL
);

CREATE TABLE idempotency_keys (
  account text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL,
  begun_at bigint NOT NULL,
  held_until bigint NOT NULL,
  role text COLLATE "C" REFERENCES roles (id),
  warnings TEXT,
  PRIMARY KEY (account, key)
);
CREATE INDEX idempotency_keys_reserved ON idempotency_keys (begun_at) WHERE role IS NULL;

CREATE TABLE comparison (
  one smallint PRIMARY KEY CHECK (one = 1),
  version bigint NOT NULL,
  comparison TEXT NOT NULL
);

CREATE TABLE accounts (
  name text COLLATE "C" NOT NULL PRIMARY KEY,
  version bigint NOT NULL,
  limits TEXT NOT NULL,
  blocked TEXT NOT NULL,
  generation bigint NOT NULL,
  last_published_at bigint,
  publications_mark bigint
);

CREATE TABLE api_keys (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  scopes TEXT NOT NULL,
  label TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint,
  revoked_at bigint,
  ensured boolean NOT NULL
);
CREATE INDEX api_keys_in_order ON api_keys (created_at, id);
CREATE INDEX api_keys_of_account ON api_keys (account, created_at, id);
CREATE INDEX api_keys_live ON api_keys (account) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL AND NOT ensured;

CREATE TABLE sessions (
  token_hash text COLLATE "C" NOT NULL PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  api_key text COLLATE "C",
  actor TEXT NOT NULL,
  scope text COLLATE "C" NOT NULL,
  display_name text COLLATE "C",
  started_at bigint NOT NULL,
  ends_at bigint NOT NULL
);
CREATE INDEX sessions_end ON sessions (ends_at);
CREATE INDEX sessions_of_account ON sessions (account, started_at, token_hash);
CREATE INDEX sessions_of_actor ON sessions (account, actor, started_at, token_hash);

CREATE TABLE sign_in_links (
  token_hash text COLLATE "C" NOT NULL PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  actor TEXT NOT NULL,
  scope text COLLATE "C" NOT NULL,
  ends_at bigint NOT NULL
);
CREATE INDEX sign_in_links_end ON sign_in_links (ends_at);

CREATE TABLE session_refusals (
  account text COLLATE "C" NOT NULL PRIMARY KEY,
  told_at bigint NOT NULL
);

CREATE TABLE pairings (
  secret_hash text COLLATE "C" NOT NULL PRIMARY KEY,
  ends_at bigint NOT NULL,
  account text COLLATE "C",
  scopes TEXT,
  label TEXT,
  actor TEXT,
  session text COLLATE "C",
  api_key text COLLATE "C"
);
CREATE INDEX pairings_ended ON pairings (ends_at);
CREATE INDEX pairings_agreed ON pairings (account, actor, session);

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
  recorded_at bigint NOT NULL,
  name text COLLATE "C",
  number bigint,
  account_number bigint,
  PRIMARY KEY (at, id)
);
CREATE INDEX events_of_account ON events (account, at, id);
CREATE INDEX events_of_pin ON events (pin, at, id) WHERE pin IS NOT NULL;
CREATE INDEX events_recorded ON events (recorded_at);

CREATE TABLE feed (
  one smallint PRIMARY KEY CHECK (one = 1),
  id text COLLATE "C" NOT NULL
);
INSERT INTO feed (one, id) VALUES (1, '0123456789abcdef0123456789abcdef');
CREATE TABLE feed_begins (
  account text COLLATE "C" NOT NULL PRIMARY KEY,
  number bigint NOT NULL,
  event text COLLATE "C" NOT NULL
);

CREATE TABLE views (
  role text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  views bigint NOT NULL,
  refused_passwords bigint NOT NULL,
  PRIMARY KEY (role, day)
);
CREATE INDEX views_of_day ON views (day);

CREATE TABLE names (
  account text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL UNIQUE,
  role text COLLATE "C" NOT NULL REFERENCES roles (id),
  updated_at bigint NOT NULL,
  PRIMARY KEY (account, name)
);

CREATE TABLE takedowns (
  id text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  sha256 text COLLATE "C" NOT NULL,
  reason TEXT NOT NULL,
  at bigint NOT NULL,
  lifted_at bigint,
  PRIMARY KEY (id, sha256)
);
CREATE INDEX takedowns_forbidden ON takedowns (sha256, at, id) WHERE lifted_at IS NULL;
CREATE INDEX takedowns_listed ON takedowns (at, id, sha256) WHERE lifted_at IS NULL;

CREATE TABLE service_mode (
  one smallint PRIMARY KEY CHECK (one = 1),
  kind TEXT NOT NULL,
  message TEXT
);
INSERT INTO service_mode (one, kind) VALUES (1, 'normal');

CREATE TABLE import_mark (
  one smallint PRIMARY KEY CHECK (one = 1),
  token text COLLATE "C" NOT NULL
);

CREATE INDEX roles_ending ON roles (account, coalesce(9007199254740991 - expires_at, 0), id)
  WHERE deleted_at IS NULL;
CREATE INDEX roles_in_service ON roles (account, expires_at) INCLUDE (archive_bytes) WHERE deleted_at IS NULL;
CREATE INDEX roles_sha256 ON roles (sha256) WHERE deleted_at IS NULL;
ALTER TABLE api_keys ADD COLUMN very_first boolean CHECK (very_first) UNIQUE;
ALTER TABLE events ADD COLUMN turn bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY;
CREATE INDEX events_unnumbered ON events (turn, at, id) WHERE number IS NULL;
CREATE UNIQUE INDEX events_number ON events (number) WHERE number IS NOT NULL;
CREATE UNIQUE INDEX events_account_number ON events (account, account_number)
  WHERE account_number IS NOT NULL;

ALTER TABLE roles SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE accounts SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE views SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE names SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE idempotency_keys SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE events SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE manifests SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.01);

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
  begun_at bigint NOT NULL,
  ends_at bigint NOT NULL,
  role_ends_at bigint NOT NULL
);
CREATE INDEX attempts_of_window ON attempts (role, counted);
CREATE INDEX attempts_end ON attempts (greatest(ends_at, role_ends_at));

CREATE FUNCTION refuse_while_importing() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF pg_catalog.current_setting('pinfold.importing', true) = 'on' THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'an import into this database has not ended' USING ERRCODE = 'PF001';
END
$function$;

INSERT INTO accounts VALUES
  ('acme', 3, '{"sites":5,"bytes":null}', 'null', 2, 1750000000000, NULL),
  ('shut', 2, '{"sites":null,"bytes":null}', '{"sites":"hide","message":null}', 1, NULL, NULL);
INSERT INTO roles (id, version, account, archive, idempotency_key, title, original_filename, file_count, size,
  archive_bytes, sha256, published_at, expires_at, pinned, deleted_at, password_hash, generation, title_folded,
  archive_kept, claim_token, not_before, failures, last_event_at, expiry_told, purged)
VALUES
  ('role-1', 2, 'acme', 'archive-1', 'key-1', 'Plan', 'Straße.ZIP', 3, 100, 141, 'sha-1', 1750000000000, 1750600000000,
    false, NULL, NULL, 1, 'plan', true, 'token', 1750000000005, 2, 1750000000001, false, true),
  ('role-2', 1, 'acme', 'archive-2', 'key-2', NULL, 'Site.zip', 3, 100, 142, 'sha-2', 1750000000001, NULL,
    true, NULL, NULL, 1, '', true, NULL, NULL, 0, 1750000000003, false, false),
  ('role-3', 4, 'acme', 'archive-3', 'key-3', NULL, 'old.zip', 3, 100, 143, 'sha-3', 1700000000000, 1700600000000,
    false, 1700500000000, NULL, 1, '', false, NULL, NULL, 0, 1700500000000, true, false);
INSERT INTO manifests VALUES ('archive-1', '[1]'), ('archive-2', '[2]');
INSERT INTO idempotency_keys VALUES
  ('acme', 'key-1', 'print', 'token', 1750000000000, 1750000060000, 'role-1', '[]'),
  ('acme', 'key-9', 'print', 'token', 1750000000000, 1750000060000, NULL, NULL);
INSERT INTO comparison VALUES (1, 7, '{"at":1}');
INSERT INTO api_keys VALUES
  ('key-a', 'acme', '["pins:read"]', 'CI', 'secret', 1750000000000, NULL, NULL, true, true);
INSERT INTO sessions VALUES ('hash-1', 'acme', 'key-a', '{"kind":"key","id":"key-a"}', 'manage', 'Ada', 1, 1900000000000);
INSERT INTO sign_in_links VALUES ('hash-2', 'acme', '{"kind":"system","id":null}', 'manage', 1900000000000);
INSERT INTO session_refusals VALUES ('acme', 1750000000000);
INSERT INTO pairings VALUES ('hash-3', 1900000000000, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO attempt_windows VALUES
  ('role-1', '', 1900000000000, 4), ('role-1', 'from 10.0.0.1 "x"', 1900000000000, 3), ('role-1', 'digest 00', 1900000000000, 1);
INSERT INTO attempts (role, counted, begun_at, ends_at, role_ends_at) VALUES ('role-1', 'from 10.0.0.1 "x"', 1, 2, 2);
INSERT INTO events (at, id, type, account, pin, actor, as_operator, recorded_at, name, number, account_number, turn) VALUES
  (1750000000000, 'e1', 'name.set', 'acme', 'role-3', '{"kind":"system","id":null}', false, 1750000000000, 'docs', 4, 3, 11),
  (1750000000001, 'e2', 'name.set', 'acme', 'role-1', '{"kind":"system","id":null}', false, 1750000000001, 'docs', 5, 4, 12),
  (1750000000002, 'e3', 'service.mode_changed', NULL, NULL, '{"kind":"system","id":null}', true, 1750000000002, NULL, NULL, NULL, 13),
  (1750000000003, 'e4', 'pin.pinned', 'acme', 'role-2', '{"kind":"system","id":null}', false, 1750000000003, NULL, NULL, NULL, 14),
  (1750000000004, 'e5', 'pin.pinned', 'shut', NULL, '{"kind":"system","id":null}', false, 1750000000004, NULL, NULL, NULL, 15);
INSERT INTO feed_begins VALUES ('', 3, 'e0'), ('acme', 2, 'e0'), ('shut', 6, 'e0');
INSERT INTO views VALUES ('role-1', 20000, 5, 1);
INSERT INTO names VALUES ('acme', 'docs', '0123456789abcdefghijkl', 'role-1', 1750000000001);
INSERT INTO takedowns VALUES ('role-3', 'acme', 'sha-3', 'Phishing', 1750000000000, NULL);
UPDATE service_mode SET kind = 'read_only', message = 'Moving';
