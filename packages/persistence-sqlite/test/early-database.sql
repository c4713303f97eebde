-- A database with version 13 of the schema.
CREATE TABLE schema_state (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL,
  oldest_version INTEGER NOT NULL,
  oldest_release TEXT NOT NULL
) STRICT;
INSERT INTO schema_state VALUES (1, 13, 1, '0.1.0');

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
, last_event_at INTEGER NOT NULL DEFAULT 0, expiry_told INTEGER NOT NULL DEFAULT 0 CHECK (expiry_told IN (0, 1)), archive_bytes INTEGER NOT NULL DEFAULT 0, sha256 TEXT NOT NULL DEFAULT '', purged INTEGER NOT NULL DEFAULT 0 CHECK (purged IN (0, 1))) STRICT;
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
CREATE TABLE sessions (
  token_hash TEXT NOT NULL PRIMARY KEY,
  account TEXT NOT NULL,
  api_key TEXT,
  started_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
, actor TEXT NOT NULL DEFAULT '{"kind":"operator","id":null}', scope TEXT NOT NULL DEFAULT 'manage', display_name TEXT) STRICT;
CREATE INDEX sessions_end ON sessions (ends_at);
CREATE TABLE sign_in_links (
  token_hash TEXT NOT NULL PRIMARY KEY,
  account TEXT NOT NULL,
  ends_at INTEGER NOT NULL
, actor TEXT NOT NULL DEFAULT '{"kind":"operator","id":null}', scope TEXT NOT NULL DEFAULT 'manage') STRICT;
CREATE INDEX sign_in_links_end ON sign_in_links (ends_at);
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
CREATE TABLE comparison (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL,
  comparison TEXT NOT NULL
) STRICT;
CREATE INDEX roles_archive ON roles (archive);
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
CREATE INDEX roles_expiring ON roles (expires_at)
  WHERE expiry_told = 0 AND (deleted_at IS NULL OR deleted_at >= expires_at);
CREATE TABLE accounts (
  name TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  limits TEXT NOT NULL,
  blocked TEXT NOT NULL,
  generation INTEGER NOT NULL,
  last_published_at INTEGER,
  publications_mark INTEGER
) STRICT;
CREATE INDEX roles_in_service ON roles (account, expires_at, archive_bytes) WHERE deleted_at IS NULL;
CREATE TABLE views (
  role TEXT NOT NULL,
  day INTEGER NOT NULL,
  views INTEGER NOT NULL,
  refused_passwords INTEGER NOT NULL,
  PRIMARY KEY (role, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX views_of_day ON views (day);
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
CREATE INDEX roles_sha256 ON roles (sha256, id) WHERE deleted_at IS NULL;
CREATE INDEX roles_newest ON roles (published_at, id, expires_at, deleted_at) WHERE deleted_at IS NULL;
CREATE INDEX roles_newest_deleted ON roles (published_at, id) WHERE deleted_at IS NOT NULL;
CREATE TABLE import_mark (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  token TEXT NOT NULL
) STRICT;
CREATE TABLE service_mode (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  kind TEXT NOT NULL,
  message TEXT
) STRICT;
CREATE TABLE pairings (
  secret_hash TEXT NOT NULL PRIMARY KEY,
  account TEXT NOT NULL,
  scopes TEXT NOT NULL,
  label TEXT NOT NULL,
  actor TEXT NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT;
CREATE INDEX pairings_ended ON pairings (ends_at);

INSERT INTO service_mode (one, kind, message) VALUES (1, 'normal', NULL);
INSERT INTO roles (id, version, account, archive, idempotency_key, title, original_filename, file_count, size,
  published_at, pinned, generation, title_folded, last_event_at, archive_bytes, sha256)
VALUES ('xvqxr5rbq7kxlevn', 1, 'acme', '7d9f8a6c4b3e2d1f', 'key-1', 'Plan', 'site.zip', 1, 300,
  1750000000000, 0, 1, 'plan', 1750000000000, 141, 'abc');
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
VALUES (1750000000000, 'e1', 'pin.published', 'acme', 'xvqxr5rbq7kxlevn', '{"kind":"key","id":"k1"}', 0);
INSERT INTO pairings (secret_hash, account, scopes, label, actor, ends_at)
VALUES ('p1', 'acme', '["manage"]', 'laptop', '{"kind":"key","id":"k1"}', 1750000600000);
