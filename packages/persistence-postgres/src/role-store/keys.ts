import type { Instant, Lease, Publication, Reservation, ReserveOutcome } from '@pinfold/core';
import type { PostgresConnection } from '../postgres-connection.ts';
import { type KeyRow, titleFolded, warningsOf } from '../rows.ts';
import { planned, prepared, type Statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** The statements about Idempotency-Keys, reservations and the publications that complete them. */
export interface KeyStatements {
  readonly holder: Statement;
  readonly reserve: Statement;
  readonly renew: Statement;
  readonly release: Statement;
  readonly commit: Statement;
  readonly purge: Statement;
}

export function keyStatements({ idempotencyKeys, roles, manifests }: Tables): KeyStatements {
  return {
    holder: prepared(`
      SELECT fingerprint, token, held_until AS "heldUntil", role, warnings
      FROM ${idempotencyKeys} WHERE account = $1 AND key = $2`),
    reserve: prepared(`
      INSERT INTO ${idempotencyKeys} AS held (account, key, fingerprint, token, begun_at, held_until)
      VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (account, key) DO UPDATE
      SET fingerprint = $3, token = $4, begun_at = $5, held_until = $6
      WHERE held.role IS NULL AND held.held_until <= $5`),
    renew: prepared(`
      UPDATE ${idempotencyKeys} SET held_until = $1
      WHERE account = $2 AND key = $3 AND token = $4 AND role IS NULL`),
    release: prepared(`
      DELETE FROM ${idempotencyKeys} WHERE account = $1 AND key = $2 AND token = $3 AND role IS NULL`),
    // One statement is all or nothing without a transaction of several round trips.
    commit: prepared(`
      WITH held AS (
        UPDATE ${idempotencyKeys} SET role = $4, warnings = $5
        WHERE account = $1 AND key = $2 AND token = $3 AND role IS NULL RETURNING 1
      ), stored AS (
        INSERT INTO ${manifests} (archive, manifest) SELECT $6, $7 FROM held
      )
      INSERT INTO ${roles} (
        id, version, account, archive, idempotency_key, title, original_filename, file_count, size,
        published_at, expires_at, pinned, deleted_at, password_hash, generation, title_folded
      )
      SELECT $4, 1, $8, $6, $9, $10, $11, $12::bigint, $13::bigint, $14::bigint, $15::bigint, $16::boolean,
        $17::bigint, $18, $19::bigint, $20
      FROM held`),
    // It waits for whoever changes a reservation: one that is passed over could still commit.
    // Planned for any limit, it would read the whole table.
    purge: planned(`
      DELETE FROM ${idempotencyKeys} WHERE (account, key) IN (
        SELECT account, key FROM ${idempotencyKeys}
        WHERE role IS NULL AND begun_at < $1 ORDER BY begun_at LIMIT $2 FOR UPDATE
      )`),
  };
}

export async function reserve(
  connection: PostgresConnection,
  statements: KeyStatements,
  request: Reservation,
): Promise<ReserveOutcome> {
  const { account, key, fingerprint, token, now, until } = request;
  for (;;) {
    const [row] = await connection.read<KeyRow>(statements.holder, [account, key]);
    const held = row === undefined ? undefined : heldBy(row, request);
    if (held !== undefined) return held;
    const { count } = await connection.write(statements.reserve, [
      account,
      key,
      fingerprint,
      token,
      now,
      until,
    ]);
    if (count === 1) return { kind: 'reserved', lease: { account, key, token } };
    // Another one was quicker between the two statements: who holds it now?
  }
}

/** What the key's row answers; `undefined` when it may be replaced. */
function heldBy(row: KeyRow, request: Reservation): ReserveOutcome | undefined {
  if (row.role === null && row.heldUntil <= request.now) return undefined;
  if (row.fingerprint !== request.fingerprint) return { kind: 'mismatch' };
  if (row.role === null) return { kind: 'in_progress', until: row.heldUntil };
  return { kind: 'complete', role: row.role, warnings: warningsOf(row) };
}

export async function renew(
  connection: PostgresConnection,
  statements: KeyStatements,
  { account, key, token }: Lease,
  until: Instant,
): Promise<{ kind: 'held' } | { kind: 'lost' }> {
  const { count } = await connection.write(statements.renew, [until, account, key, token]);
  return { kind: count === 1 ? 'held' : 'lost' };
}

export async function release(
  connection: PostgresConnection,
  statements: KeyStatements,
  { account, key, token }: Lease,
): Promise<void> {
  await connection.write(statements.release, [account, key, token]);
}

export async function commit(
  connection: PostgresConnection,
  statements: KeyStatements,
  { role, manifest, warnings }: Publication,
  { account, key, token }: Lease,
): Promise<{ kind: 'committed' } | { kind: 'lease_lost' }> {
  const { count } = await connection.write(statements.commit, [
    account,
    key,
    token,
    role.id,
    JSON.stringify(warnings),
    role.archive,
    manifest,
    role.account,
    role.idempotencyKey,
    role.title,
    role.originalFilename,
    role.fileCount,
    role.size,
    role.publishedAt,
    role.expiresAt,
    role.pinned,
    role.deletedAt,
    role.passwordHash,
    role.generation,
    titleFolded(role),
  ]);
  if (count === 1) return { kind: 'committed' };
  const [row] = await connection.read<KeyRow>(statements.holder, [account, key]);
  const again = row !== undefined && row.token === token && row.role === role.id;
  return { kind: again ? 'committed' : 'lease_lost' };
}

export async function purge(
  connection: PostgresConnection,
  statements: KeyStatements,
  begunBefore: Instant,
  limit: number,
): Promise<number> {
  return (await connection.write(statements.purge, [begunBefore, limit])).count;
}
