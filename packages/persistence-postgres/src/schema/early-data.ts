// Brings data of the schema's version 16, which no release had, to version 17. To be deleted at the first release.
import type { Title } from '@pinfold/core';
import { type Migration, titleFolded } from '@pinfold/core/adapter';
import type { Run } from '../engine/postgres-connection.ts';
import { longRunning } from '../engine/statement.ts';

/** The schema whose data are copied. */
export const EARLY: Migration = { version: 16, release: '0.1.0', oldestVersion: 16, sql: '' };

/** Its tables and indexes make room for those of the same names. */
const SET_ASIDE = longRunning(`
  DROP FUNCTION IF EXISTS refuse_while_importing CASCADE;
  DO $early$ DECLARE
    one record;
  BEGIN
    FOR one IN
      SELECT CASE relkind WHEN 'i' THEN 'INDEX' ELSE 'TABLE' END AS kind, relname AS name FROM pg_catalog.pg_class
      WHERE relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
        AND relkind IN ('i', 'r') AND relname NOT IN ('schema_state', 'schema_state_pkey')
    LOOP
      EXECUTE pg_catalog.format('ALTER %s %I RENAME TO %I', one.kind, one.name, 'early_' || one.name);
    END LOOP;
  END $early$`);

const COPY = longRunning(`
  INSERT INTO accounts (name, version, limits, blocked, generation, last_published_at, publications_mark)
  SELECT name, version, limits, nullif(blocked, 'null'), generation, last_published_at, publications_mark
  FROM early_accounts;

  INSERT INTO api_keys
    (id, account, scopes, label, secret_hash, created_at, last_used_at, revoked_at, is_ensured)
  SELECT id, account, scopes, label, secret_hash, created_at, last_used_at, revoked_at, ensured FROM early_api_keys;

  INSERT INTO sessions (token_hash, account, api_key, actor, scope, display_name, started_at, ends_at)
  SELECT token_hash, account, api_key, actor, scope, display_name, started_at, ends_at FROM early_sessions;

  INSERT INTO sign_in_links (token_hash, account, actor, scope, ends_at)
  SELECT token_hash, account, actor, scope, ends_at FROM early_sign_in_links;

  INSERT INTO session_refusals (account, recorded_at) SELECT account, told_at FROM early_session_refusals;

  INSERT INTO pairings (secret_hash, ends_at, account, scopes, label, actor, session, api_key)
  SELECT secret_hash, ends_at, account, scopes, label, actor, session, api_key FROM early_pairings;

  -- A digest of an address tells no address, and a try that is under way is counted in its windows.
  INSERT INTO attempt_windows (role, number, counted, ends_at, tries)
  SELECT role, pg_catalog.row_number() OVER (PARTITION BY role ORDER BY counted),
    CASE counted WHEN '' THEN '' ELSE pg_catalog.to_json(pg_catalog.substr(counted, 6))::text END, ends_at, tries
  FROM early_attempt_windows WHERE counted = '' OR counted LIKE 'from %';

  INSERT INTO roles (id, account, archive, idempotency_key, title, original_filename, file_count, size, archive_bytes,
    sha256, published_at, expires_at, pinned, deleted_at, password_hash, generation, version, title_folded,
    filename_folded, ended_at, ending_rank, last_event_at, is_expiry_recorded, has_archive, is_purged, cleanup_token,
    cleanup_not_before, cleanup_failures)
  SELECT id, account, archive, idempotency_key, title, original_filename, file_count, size, archive_bytes,
    sha256, published_at, expires_at, pinned, deleted_at, password_hash, generation, version, title_folded,
    pg_catalog.lower(original_filename), ended_at, coalesce(9007199254740991 - expires_at, 0), last_event_at,
    expiry_told, archive_kept, purged, claim_token, not_before, failures
  FROM early_roles;

  INSERT INTO manifests (archive, manifest) SELECT archive, manifest FROM early_manifests;

  INSERT INTO idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role, warnings)
  SELECT account, key, fingerprint, token, begun_at, held_until, role, warnings FROM early_idempotency_keys;

  INSERT INTO names (account, name, token, role, previous, updated_at)
  SELECT account, name, token, role, (
    SELECT pin FROM early_events AS moved
    WHERE moved.account = names.account AND moved.name = names.name AND type = 'name.set' AND pin <> names.role
      AND NOT EXISTS (
        SELECT 1 FROM early_events AS ended
        WHERE ended.account = names.account AND ended.name = names.name AND ended.type = 'name.deleted'
          AND (ended.at, ended.id) > (moved.at, moved.id)
      )
    ORDER BY at DESC, id DESC LIMIT 1
  ), updated_at
  FROM early_names AS names;

  INSERT INTO takedowns (id, account, sha256, reason, at, lifted_at)
  SELECT id, account, sha256, reason, at, lifted_at FROM early_takedowns;

  INSERT INTO views (role, day, views, refused_passwords)
  SELECT role, day, views, refused_passwords FROM early_views;

  -- An event has its number in the feed of its account from the beginning. Those of before the feed share one turn.
  INSERT INTO events (at, id, type, account, pin, name, actor, request, address, as_operator, recorded_at, sequence,
    feed_number, account_feed_number) OVERRIDING SYSTEM VALUE
  SELECT at, id, type, account, pin, name, actor, request, address, as_operator, recorded_at,
    pg_catalog.row_number() OVER (ORDER BY turn, at, id), events.number,
    CASE WHEN account IS NOT NULL THEN coalesce(
      account_number,
      greatest(max(account_number) OVER (PARTITION BY account), begins.number, 0)
        + count(*) FILTER (WHERE account_number IS NULL) OVER (PARTITION BY account ORDER BY turn, at, id)
    ) END
  FROM early_events AS events LEFT JOIN early_feed_begins AS begins USING (account);
  SELECT pg_catalog.setval(pg_catalog.pg_get_serial_sequence('events', 'sequence'), coalesce(max(sequence), 0) + 1, false)
  FROM events;

  INSERT INTO feeds (id, feed) SELECT one, id FROM early_feed;
  INSERT INTO feed_begins (account, number, event) SELECT account, number, event FROM early_feed_begins;
  INSERT INTO comparisons (id, version, comparison) SELECT one, version, comparison FROM early_comparison;
  INSERT INTO service_modes (id, kind, message) SELECT one, kind, message FROM early_service_mode WHERE kind <> 'normal';
  INSERT INTO unfinished_imports (id, token) SELECT one, token FROM early_import_mark`);

/** File names that the server may fold otherwise than searches do. */
const FOREIGN = longRunning(`
  SELECT id, original_filename AS filename FROM roles WHERE original_filename ~ '[^ -~]' AND id > $1 ORDER BY id LIMIT 1000`);
const FOLD = longRunning(`
  UPDATE roles SET filename_folded = names.folded FROM unnest($1::text[], $2::text[]) AS names (role, folded)
  WHERE id = names.role`);

const DROP = longRunning(`
  DO $early$ DECLARE
    one record;
  BEGIN
    FOR one IN
      SELECT relname AS name FROM pg_catalog.pg_class
      WHERE relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
        AND relkind = 'r' AND relname LIKE 'early\\_%'
    LOOP
      EXECUTE pg_catalog.format('DROP TABLE %I CASCADE', one.name);
    END LOOP;
  END $early$;
  ANALYZE accounts, api_keys, events, idempotency_keys, manifests, names, roles, sessions, takedowns, views`);

/** Moves the early tables out of the way of those that the newest schema creates. */
export async function setEarlyDataAside(run: Run): Promise<void> {
  await run(SET_ASIDE);
}

/** Copies what was set aside into the tables of the newest schema, and drops it. */
export async function copyEarlyData(run: Run): Promise<void> {
  await run(COPY);
  for (let after = ''; ; ) {
    const { rows } = await run<{ id: string; filename: Title }>(FOREIGN, [after]);
    const last = rows.at(-1);
    if (last === undefined) break;
    const folded = rows.map(({ filename }) => titleFolded({ title: filename }));
    await run(FOLD, [rows.map(({ id }) => id), folded]);
    after = last.id;
  }
  await run(DROP);
}
