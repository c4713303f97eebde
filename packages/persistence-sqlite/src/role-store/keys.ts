import type { Instant, Lease, Publication, Reservation, ReserveOutcome } from '@pinfold/core';
import { type KeyRow, roleParameters, warningsOf } from '../rows.ts';
import type { Prepare } from '../sqlite-file.ts';

const HOLDER = `
  SELECT fingerprint, token, held_until AS heldUntil, role, warnings
  FROM idempotency_keys WHERE account = ? AND key = ?`;

const RESERVE = `
  INSERT INTO idempotency_keys (account, key, fingerprint, token, begun_at, held_until)
  VALUES (@account, @key, @fingerprint, @token, @now, @until)
  ON CONFLICT (account, key) DO UPDATE
  SET fingerprint = @fingerprint, token = @token, begun_at = @now, held_until = @until`;

const RENEW = `
  UPDATE idempotency_keys SET held_until = ?
  WHERE account = ? AND key = ? AND token = ? AND role IS NULL`;

const RELEASE = 'DELETE FROM idempotency_keys WHERE account = ? AND key = ? AND token = ? AND role IS NULL';

const COMPLETE = 'UPDATE idempotency_keys SET role = ?, warnings = ? WHERE account = ? AND key = ?';

const INSERT_ROLE = `
  INSERT INTO roles (
    id, version, account, archive, idempotency_key, title, original_filename, file_count, size,
    published_at, expires_at, pinned, deleted_at, password_hash, generation, title_folded
  ) VALUES (
    @id, 1, @account, @archive, @idempotencyKey, @title, @originalFilename, @fileCount, @size,
    @publishedAt, @expiresAt, @pinned, @deletedAt, @passwordHash, @generation, @titleFolded
  )`;

const INSERT_MANIFEST = 'INSERT INTO manifests (archive, manifest) VALUES (?, ?)';

const PURGE = `
  DELETE FROM idempotency_keys WHERE rowid IN (
    SELECT rowid FROM idempotency_keys WHERE role IS NULL AND begun_at < ? ORDER BY begun_at LIMIT ?
  )`;

/** What the key's row alone answers; `undefined` when the key is free to be reserved. */
export function heldBy(prepare: Prepare, request: Reservation): ReserveOutcome | undefined {
  const row = prepare<KeyRow>(HOLDER).get(request.account, request.key);
  if (row === undefined) return undefined;
  if (row.role === null && row.heldUntil <= request.now) return undefined;
  if (row.fingerprint !== request.fingerprint) return { kind: 'mismatch' };
  if (row.role === null) return { kind: 'in_progress', until: row.heldUntil };
  return { kind: 'complete', role: row.role, warnings: warningsOf(row) };
}

export function reserve(prepare: Prepare, request: Reservation): ReserveOutcome {
  const held = heldBy(prepare, request);
  if (held !== undefined) return held;
  prepare(RESERVE).run(request);
  const { account, key, token } = request;
  return { kind: 'reserved', lease: { account, key, token } };
}

export function renew(prepare: Prepare, lease: Lease, until: Instant): { kind: 'held' } | { kind: 'lost' } {
  const { changes } = prepare(RENEW).run(until, lease.account, lease.key, lease.token);
  return { kind: changes === 1 ? 'held' : 'lost' };
}

export function release(prepare: Prepare, lease: Lease): void {
  prepare(RELEASE).run(lease.account, lease.key, lease.token);
}

export function commit(
  prepare: Prepare,
  { role, manifest, warnings }: Publication,
  lease: Lease,
): { kind: 'committed' } | { kind: 'lease_lost' } {
  const row = prepare<KeyRow>(HOLDER).get(lease.account, lease.key);
  if (row === undefined || row.token !== lease.token) return { kind: 'lease_lost' };
  if (row.role !== null) return { kind: row.role === role.id ? 'committed' : 'lease_lost' };
  prepare(INSERT_ROLE).run(roleParameters(role));
  prepare(INSERT_MANIFEST).run(role.archive, manifest);
  prepare(COMPLETE).run(role.id, JSON.stringify(warnings), lease.account, lease.key);
  return { kind: 'committed' };
}

export function purge(prepare: Prepare, begunBefore: Instant, limit: number): number {
  return prepare(PURGE).run(begunBefore, limit).changes;
}
