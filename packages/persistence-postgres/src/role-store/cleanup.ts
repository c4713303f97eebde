import type {
  ArchiveId,
  CleanupCount,
  CleanupCountRequest,
  CleanupOutcome,
  CleanupRequest,
  CleanupTask,
} from '@pinfold/core';
import type { PostgresConnection } from '../postgres-connection.ts';
import type { ClaimableRow } from '../rows.ts';
import { planned, prepared, type Statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** The statements by which archives are removed, and storage is compared with the records. */
export interface CleanupStatements {
  readonly claim: Statement;
  readonly removed: Statement;
  readonly failed: Statement;
  readonly count: Statement;
  readonly named: Statement;
  readonly archives: Statement;
}

export function cleanupStatements({ roles, manifests, idempotencyKeys }: Tables): CleanupStatements {
  return {
    // What another claim holds locked is its own: it is passed over, not waited for.
    claim: planned(`
      WITH never AS (
        SELECT id, ended_at AS due FROM ${roles}
        WHERE archive_kept AND not_before IS NULL AND ended_at <= $1
        ORDER BY ended_at LIMIT $5 FOR UPDATE SKIP LOCKED
      ), before AS (
        SELECT id, not_before AS due FROM ${roles}
        WHERE archive_kept AND not_before IS NOT NULL AND not_before <= $2 AND ended_at <= $1
        ORDER BY not_before LIMIT $5 FOR UPDATE SKIP LOCKED
      ), chosen AS (
        SELECT id, due FROM never UNION ALL SELECT id, due FROM before ORDER BY due LIMIT $5
      )
      UPDATE ${roles} AS claimed SET version = version + 1, claim_token = $3, not_before = $4
      FROM chosen WHERE claimed.id = chosen.id
      RETURNING claimed.id AS role, archive, failures, due`),
    removed: prepared(`
      WITH done AS (
        UPDATE ${roles} SET archive_kept = false, claim_token = NULL, not_before = NULL
        WHERE id = $1 AND claim_token = $2 RETURNING archive
      )
      DELETE FROM ${manifests} WHERE archive = (SELECT archive FROM done)`),
    failed: prepared(`
      UPDATE ${roles} SET failures = failures + 1, claim_token = NULL, not_before = $3
      WHERE id = $1 AND claim_token = $2`),
    // By the indexes of the claims and of the purge.
    count: planned(`
      SELECT (
        SELECT count(*) FROM ${roles} WHERE archive_kept AND not_before IS NULL AND ended_at <= $1
      ) + (
        SELECT count(*) FROM ${roles}
        WHERE archive_kept AND not_before IS NOT NULL AND not_before <= $2 AND ended_at <= $1
      ) AS archives, (
        SELECT count(*) FROM ${idempotencyKeys} WHERE role IS NULL AND begun_at < $3
      ) AS reservations`),
    named: prepared(`SELECT archive FROM ${manifests} WHERE archive = ANY ($1::text[])`),
    archives: prepared(`SELECT archive FROM ${manifests} WHERE archive > $1 ORDER BY archive LIMIT $2`),
  };
}

export async function claim(
  connection: PostgresConnection,
  statements: CleanupStatements,
  { now, endedBefore, token, until, limit }: CleanupRequest,
): Promise<readonly CleanupTask[]> {
  const values = [endedBefore, now, token, until, limit];
  const { rows } = await connection.write<ClaimableRow>(statements.claim, values);
  return rows
    .toSorted((one, other) => one.due - other.due)
    .map(({ role, archive, failures }) => ({ role, archive, token, failures }));
}

export async function settle(
  connection: PostgresConnection,
  statements: CleanupStatements,
  { role, token }: CleanupTask,
  outcome: CleanupOutcome,
): Promise<void> {
  if (outcome.kind === 'removed') await connection.write(statements.removed, [role, token]);
  else await connection.write(statements.failed, [role, token, outcome.retryAt]);
}

export async function count(
  connection: PostgresConnection,
  statements: CleanupStatements,
  { now, endedBefore, begunBefore }: CleanupCountRequest,
): Promise<CleanupCount> {
  const values = [endedBefore, now, begunBefore];
  const [counted] = await connection.read<CleanupCount>(statements.count, values);
  return counted as CleanupCount;
}

export async function whichAreNamed(
  connection: PostgresConnection,
  statements: CleanupStatements,
  ids: readonly ArchiveId[],
): Promise<ReadonlySet<ArchiveId>> {
  return new Set(await archivesOf(connection, statements.named, [ids]));
}

export function listArchives(
  connection: PostgresConnection,
  statements: CleanupStatements,
  after: ArchiveId | undefined,
  limit: number,
): Promise<readonly ArchiveId[]> {
  return archivesOf(connection, statements.archives, [after ?? '', limit]);
}

async function archivesOf(
  connection: PostgresConnection,
  statement: Statement,
  values: readonly unknown[],
): Promise<readonly ArchiveId[]> {
  const rows = await connection.read<{ archive: ArchiveId }>(statement, values);
  return rows.map((row) => row.archive);
}
