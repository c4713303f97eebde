import type { ArchiveId, CleanupCount, CleanupTask, RoleStore } from '@pinfold/core';
import { Gate } from '@pinfold/core/adapter';
import type { PostgresConnection } from '../../engine/postgres-connection.ts';
import { prepared, type Statement, unprepared } from '../../engine/statement.ts';
import type { Tables } from '../../schema/tables.ts';
import { keepingInTurn, lastEventAt, rowsOf } from '../events.ts';

/** Claims settled concurrently: each occupies a connection until its commit is on disk. */
const SETTLED_AT_ONCE = 2;

/** A role that was claimed, with the instant from which it has been waiting. */
type ClaimedRow = Omit<CleanupTask, 'token'> & { readonly due: number };

/** Archives to remove, and those that records name. */
export function cleanup(
  connection: PostgresConnection,
  tables: Tables,
): Pick<
  RoleStore,
  'claimForCleanup' | 'settleCleanup' | 'countForCleanup' | 'whichAreNamed' | 'listArchives'
> {
  const { roles, manifests, idempotencyKeys } = tables;
  const statements = {
    // Skips roles that another claim has locked.
    claim: unprepared(`
      WITH never AS MATERIALIZED (
        SELECT id, ended_at AS due FROM ${roles}
        WHERE archive_kept AND not_before IS NULL AND ended_at <= $1
        ORDER BY ended_at LIMIT $5 FOR UPDATE SKIP LOCKED
      ), before AS MATERIALIZED (
        SELECT id, not_before AS due FROM ${roles}
        WHERE archive_kept AND not_before IS NOT NULL AND not_before <= $2 AND (purged OR ended_at <= $1)
        ORDER BY not_before LIMIT $5 FOR UPDATE SKIP LOCKED
      ), chosen AS (
        SELECT id, due FROM never UNION ALL SELECT id, due FROM before ORDER BY due LIMIT $5
      )
      UPDATE ${roles} AS claimed SET version = version + 1, claim_token = $3, not_before = $4
      FROM chosen WHERE claimed.id = chosen.id
      RETURNING claimed.id AS role, account, archive, failures, due`),
    removed: prepared(`
      WITH done AS (
        UPDATE ${roles}
        SET archive_kept = false, claim_token = NULL, not_before = NULL, last_event_at = ${lastEventAt(3)}
        WHERE id = $1 AND claim_token = $2 RETURNING archive, last_event_at
      ), kept AS (${keepingInTurn(tables, 'done', 3)})
      DELETE FROM ${manifests} WHERE archive = (SELECT archive FROM done)`),
    failed: prepared(`
      WITH done AS (
        UPDATE ${roles}
        SET failures = failures + 1, claim_token = NULL, not_before = $4, last_event_at = ${lastEventAt(3)}
        WHERE id = $1 AND claim_token = $2 RETURNING last_event_at
      )
      ${keepingInTurn(tables, 'done', 3)}`),
    // By the indexes of the claims and of the purge.
    count: unprepared(`
      SELECT (
        SELECT count(*) FROM ${roles} WHERE archive_kept AND not_before IS NULL AND ended_at <= $1
      ) + (
        SELECT count(*) FROM ${roles}
        WHERE archive_kept AND not_before IS NOT NULL AND not_before <= $2 AND (purged OR ended_at <= $1)
      ) AS archives, (
        SELECT count(*) FROM ${idempotencyKeys} WHERE role IS NULL AND begun_at < $3
      ) AS reservations`),
    named: prepared(`SELECT archive FROM ${manifests} WHERE archive = ANY ($1::text[])`),
    archives: prepared(`SELECT archive FROM ${manifests} WHERE archive > $1 ORDER BY archive LIMIT $2`),
  };
  const settling = new Gate({ places: SETTLED_AT_ONCE });
  const archivesOf = async (
    statement: Statement,
    values: readonly unknown[],
  ): Promise<readonly ArchiveId[]> =>
    (await connection.read<{ archive: ArchiveId }>(statement, values)).map(({ archive }) => archive);

  return {
    claimForCleanup: async ({ now, endedBefore, token, until, limit }) => {
      const values = [endedBefore, now, token, until, limit];
      const { rows } = await connection.write<ClaimedRow>(statements.claim, values);
      return rows
        .toSorted((one, other) => one.due - other.due)
        .map(({ role, account, archive, failures }) => ({ role, account, archive, token, failures }));
    },
    settleCleanup: async ({ role, token }, outcome, events) => {
      await settling.run(undefined, () =>
        outcome.kind === 'removed'
          ? connection.write(statements.removed, [role, token, rowsOf(events)])
          : connection.write(statements.failed, [role, token, rowsOf(events), outcome.retryAt]),
      );
    },
    countForCleanup: async ({ now, endedBefore, begunBefore }) => {
      const values = [endedBefore, now, begunBefore];
      const [counted] = await connection.read<CleanupCount>(statements.count, values);
      return counted as CleanupCount;
    },
    whichAreNamed: async (ids) => new Set(await archivesOf(statements.named, [ids])),
    listArchives: (after, limit) => archivesOf(statements.archives, [after ?? '', limit]),
  };
}
