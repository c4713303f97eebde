-- A database with version 16 of the schema, which was written by hand.
CREATE TABLE schema_state (
one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
version INTEGER NOT NULL,
oldest_version INTEGER NOT NULL,
oldest_release TEXT NOT NULL
  ) STRICT;
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
CREATE INDEX roles_largest ON roles (account, archive_bytes, id, expires_at, deleted_at) WHERE deleted_at IS NULL;
CREATE INDEX roles_newest_deleted ON roles (published_at, id) WHERE deleted_at IS NOT NULL;
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
CREATE TABLE feed (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL
) STRICT;
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
CREATE TABLE import_mark (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  token TEXT NOT NULL
) STRICT;
CREATE INDEX roles_ending ON roles (account, coalesce(9007199254740991 - expires_at, 0), id, expires_at, deleted_at)
  WHERE deleted_at IS NULL;
CREATE INDEX roles_in_service ON roles (account, expires_at, archive_bytes) WHERE deleted_at IS NULL;
CREATE INDEX roles_sha256 ON roles (sha256, id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX events_number ON events (number);
CREATE UNIQUE INDEX events_account_number ON events (account, account_number) WHERE account IS NOT NULL;
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
INSERT INTO schema_state (one, version, oldest_version, oldest_release)
  VALUES (1, 16, 16, '0.1.0');
INSERT INTO roles (id, version, account, archive, idempotency_key, title, original_filename, file_count, size, archive_bytes, sha256, published_at, expires_at, pinned, deleted_at, password_hash, generation, title_folded, archive_kept, claim_token, not_before, failures, last_event_at, expiry_told, purged)
  VALUES ('role000000000001', 1, 'acme', 'archive00000000000001', 'key-1', 'Plan', 'Site 1.zip', 1, 141, 142, '1111111111111111111111111111111111111111111111111111111111111111', 1750000001000, 1752592000000, 0, NULL, NULL, 1, 'plan', 1, NULL, NULL, 0, 1750000001000, 0, 0);
INSERT INTO roles (id, version, account, archive, idempotency_key, title, original_filename, file_count, size, archive_bytes, sha256, published_at, expires_at, pinned, deleted_at, password_hash, generation, title_folded, archive_kept, claim_token, not_before, failures, last_event_at, expiry_told, purged)
  VALUES ('role000000000002', 2, 'acme', 'archive00000000000002', 'key-2', 'Overview', 'ÜBERSICHT.zip', 1, 141, 143, '2222222222222222222222222222222222222222222222222222222222222222', 1750000002000, NULL, 0, NULL, 'scrypt', 2, 'overview', 1, NULL, NULL, 0, 1750000009000, 0, 0);
INSERT INTO roles (id, version, account, archive, idempotency_key, title, original_filename, file_count, size, archive_bytes, sha256, published_at, expires_at, pinned, deleted_at, password_hash, generation, title_folded, archive_kept, claim_token, not_before, failures, last_event_at, expiry_told, purged)
  VALUES ('role000000000003', 1, 'other', 'archive00000000000003', 'key-3', NULL, 'Site 3.zip', 1, 141, 144, '3333333333333333333333333333333333333333333333333333333333333333', 1750000003000, 1750086400000, 1, NULL, NULL, 1, '', 1, NULL, NULL, 0, 1750000003000, 0, 0);
INSERT INTO roles (id, version, account, archive, idempotency_key, title, original_filename, file_count, size, archive_bytes, sha256, published_at, expires_at, pinned, deleted_at, password_hash, generation, title_folded, archive_kept, claim_token, not_before, failures, last_event_at, expiry_told, purged)
  VALUES ('role000000000004', 2, 'other', 'archive00000000000004', 'key-4', NULL, 'Site 4.zip', 1, 141, 145, '4444444444444444444444444444444444444444444444444444444444444444', 1750000004000, NULL, 0, 1750000010000, NULL, 1, '', 1, NULL, NULL, 0, 1750000010000, 0, 0);
INSERT INTO manifests (archive, manifest)
  VALUES ('archive00000000000001', '[["index.html",1]]');
INSERT INTO manifests (archive, manifest)
  VALUES ('archive00000000000002', '[["index.html",2]]');
INSERT INTO manifests (archive, manifest)
  VALUES ('archive00000000000003', '[["index.html",3]]');
INSERT INTO manifests (archive, manifest)
  VALUES ('archive00000000000004', '[["index.html",4]]');
INSERT INTO idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role, warnings)
  VALUES ('acme', 'key-1', 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', 'token-1', 1750000001000, 1750000061000, 'role000000000001', '[{"rule":"no_index"}]');
INSERT INTO idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role, warnings)
  VALUES ('acme', 'key-2', 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', 'token-2', 1750000002000, 1750000062000, 'role000000000002', '[]');
INSERT INTO idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role, warnings)
  VALUES ('other', 'key-3', 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', 'token-3', 1750000003000, 1750000063000, 'role000000000003', '[]');
INSERT INTO idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role, warnings)
  VALUES ('other', 'key-4', 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', 'token-4', 1750000004000, 1750000064000, 'role000000000004', '[]');
INSERT INTO idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role, warnings)
  VALUES ('acme', 'key-5', 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', 'token-5', 1750000011000, 1750000070000, NULL, NULL);
INSERT INTO comparison (one, version, comparison)
  VALUES (1, 1, '{"startedAt":1750000000000,"after":null}');
INSERT INTO accounts (name, version, limits, blocked, generation, last_published_at, publications_mark)
  VALUES ('acme', 1, '{"requests":null,"publications":null,"sites":null,"bytes":null}', 'null', 1, 1750000002000, NULL);
INSERT INTO accounts (name, version, limits, blocked, generation, last_published_at, publications_mark)
  VALUES ('other', 2, '{"requests":null,"publications":"5/1h","sites":10,"bytes":"off"}', '{"reason":"spam","sites":"hide","at":1750000012000}', 2, 1750000004000, NULL);
INSERT INTO api_keys (id, account, scopes, label, secret_hash, created_at, last_used_at, revoked_at, ensured)
  VALUES ('key0000000000001', 'acme', '["publish","manage"]', 'laptop', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 1750000000000, NULL, NULL, 0);
INSERT INTO api_keys (id, account, scopes, label, secret_hash, created_at, last_used_at, revoked_at, ensured)
  VALUES ('key0000000000002', 'other', '["publish","manage"]', 'laptop', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 1750000000001, NULL, NULL, 1);
INSERT INTO sessions (token_hash, account, api_key, actor, scope, display_name, started_at, ends_at)
  VALUES ('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'acme', 'key0000000000001', '{"kind":"key","id":"key0000000000001","label":"laptop"}', 'manage', NULL, 1750000000000, 1750086400000);
INSERT INTO sign_in_links (token_hash, account, actor, scope, ends_at)
  VALUES ('cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc', 'acme', '{"kind":"key","id":"key0000000000001","label":"laptop"}', 'manage', 1750086400000);
INSERT INTO session_refusals (account, told_at)
  VALUES ('acme', 1750000016000);
INSERT INTO pairings (secret_hash, ends_at, account, scopes, label, actor, session, api_key)
  VALUES ('dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd', 1750086400000, 'acme', '["publish"]', 'ci', '{"kind":"key","id":"key0000000000001","label":"laptop"}', NULL, 'key0000000000001');
INSERT INTO events (at, id, type, account, pin, actor, request, address, as_operator, recorded_at, name, number, account_number)
  VALUES (1750000001000, 'e3', 'pin.published', 'acme', 'role000000000001', '{"kind":"key","id":"key0000000000001","label":"laptop"}', 'request-3', '192.0.2.1', 0, 1750000001000, NULL, 3, 2);
INSERT INTO events (at, id, type, account, pin, actor, request, address, as_operator, recorded_at, name, number, account_number)
  VALUES (1750000002000, 'e4', 'pin.published', 'acme', 'role000000000002', '{"kind":"key","id":"key0000000000001","label":"laptop"}', 'request-4', '192.0.2.1', 0, 1750000002000, NULL, 4, 3);
INSERT INTO events (at, id, type, account, pin, actor, request, address, as_operator, recorded_at, name, number, account_number)
  VALUES (1750000003000, 'e5', 'pin.published', 'other', 'role000000000003', '{"kind":"key","id":"key0000000000001","label":"laptop"}', 'request-5', '192.0.2.1', 0, 1750000003000, NULL, 5, 2);
INSERT INTO events (at, id, type, account, pin, actor, request, address, as_operator, recorded_at, name, number, account_number)
  VALUES (1750000004000, 'e6', 'pin.published', 'other', 'role000000000004', '{"kind":"key","id":"key0000000000001","label":"laptop"}', 'request-6', '192.0.2.1', 0, 1750000004000, NULL, 6, 3);
INSERT INTO events (at, id, type, account, pin, actor, request, address, as_operator, recorded_at, name, number, account_number)
  VALUES (1750000009000, 'e7', 'pin.title_changed', 'acme', 'role000000000002', '{"kind":"key","id":"key0000000000001","label":"laptop"}', 'request-7', '192.0.2.1', 0, 1750000009000, NULL, 7, 4);
INSERT INTO events (at, id, type, account, pin, actor, request, address, as_operator, recorded_at, name, number, account_number)
  VALUES (1750000010000, 'e8', 'pin.taken_down', 'other', 'role000000000004', '{"kind":"key","id":"key0000000000001","label":"laptop"}', 'request-8', '192.0.2.1', 1, 1750000010000, NULL, 8, 4);
INSERT INTO events (at, id, type, account, pin, actor, request, address, as_operator, recorded_at, name, number, account_number)
  VALUES (1750000012000, 'e9', 'account.blocked', 'other', NULL, '{"kind":"key","id":"key0000000000001","label":"laptop"}', 'request-9', '192.0.2.1', 1, 1750000012000, NULL, 9, 5);
INSERT INTO events (at, id, type, account, pin, actor, request, address, as_operator, recorded_at, name, number, account_number)
  VALUES (1750000013000, 'e10', 'mode.changed', NULL, NULL, '{"kind":"key","id":"key0000000000001","label":"laptop"}', 'request-10', '192.0.2.1', 1, 1750000013000, NULL, 10, NULL);
INSERT INTO events (at, id, type, account, pin, actor, request, address, as_operator, recorded_at, name, number, account_number)
  VALUES (1750000014000, 'e11', 'mode.changed', NULL, NULL, '{"kind":"key","id":"key0000000000001","label":"laptop"}', 'request-11', '192.0.2.1', 1, 1750000014000, NULL, 11, NULL);
INSERT INTO events (at, id, type, account, pin, actor, request, address, as_operator, recorded_at, name, number, account_number)
  VALUES (1750000015000, 'e12', 'session.begun', 'acme', NULL, '{"kind":"key","id":"key0000000000001","label":"laptop"}', 'request-12', '192.0.2.1', 0, 1750000015000, NULL, 12, 5);
INSERT INTO events (at, id, type, account, pin, actor, request, address, as_operator, recorded_at, name, number, account_number)
  VALUES (1750000016000, 'e13', 'session.refused', 'acme', NULL, '{"kind":"key","id":"key0000000000001","label":"laptop"}', 'request-13', '192.0.2.1', 0, 1750000016000, NULL, 13, 6);
INSERT INTO feed (one, id)
  VALUES (1, 'e4600ea12f589a72cd8c14c7c3d55c7f');
INSERT INTO feed_begins (account, number, event)
  VALUES ('', 2, 'e2');
INSERT INTO feed_begins (account, number, event)
  VALUES ('acme', 1, 'e1');
INSERT INTO feed_begins (account, number, event)
  VALUES ('other', 1, 'e2');
INSERT INTO views (role, day, views, refused_passwords)
  VALUES ('role000000000002', 20254, 3, 1);
INSERT INTO names (account, name, token, role, updated_at)
  VALUES ('acme', 'plan', 'nametoken000001', 'role000000000001', 1750000001000);
INSERT INTO takedowns (id, account, sha256, reason, at, lifted_at)
  VALUES ('role000000000004', 'other', '4444444444444444444444444444444444444444444444444444444444444444', 'phishing', 1750000010000, NULL);
INSERT INTO service_mode (one, kind, message)
  VALUES (1, 'normal', NULL);
INSERT INTO attempt_windows (id, role, counted, ends_at, tries)
  VALUES (1, 'role000000000002', 'from 192.0.2.1', 1750000900000, 2);
INSERT INTO attempt_windows (id, role, counted, ends_at, tries)
  VALUES (2, 'role000000000002', '', 1750000900000, 4);
INSERT INTO attempt_windows (id, role, counted, ends_at, tries)
  VALUES (3, 'role000000000002', 'from 2001:db8::1', 1750000900000, 1);
INSERT INTO attempt_windows (id, role, counted, ends_at, tries)
  VALUES (4, 'role000000000002', 'from 192.0.2.9', 1750000900000, 1);
INSERT INTO attempts (id, address_window, role_window, begun_at, ends_at)
  VALUES (1, 1, 2, 1750000000000, 1750000900000);
INSERT INTO attempts (id, address_window, role_window, begun_at, ends_at)
  VALUES (2, 1, 2, 1750000000000, 1750000900000);
INSERT INTO attempts (id, address_window, role_window, begun_at, ends_at)
  VALUES (3, 3, 2, 1750000000000, 1750000900000);
UPDATE sqlite_sequence SET seq = 4 WHERE name = 'attempt_windows';
UPDATE sqlite_sequence SET seq = 4 WHERE name = 'attempts';
