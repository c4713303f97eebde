import type {
  CleanupTask,
  HistoryEvent,
  Instant,
  Role,
  RoleId,
  Takedown,
  TakedownStore,
  Versioned,
} from '@pinfold/core';
import { NEWEST } from '@pinfold/core/internal';
import type { PostgresConnection, Run } from '../engine/postgres-connection.ts';
import { prepared, type Statement, unprepared } from '../engine/statement.ts';
import { TAKEDOWNS } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';
import { keepingFor, rowsOf, tellingRole } from './events.ts';
import { lockingArchive } from './locks.ts';
import { isForbidden } from './mode.ts';
import { savedValues, savingRole } from './role-store/roles.ts';

export function postgresTakedownStore(connection: PostgresConnection, tables: Tables): TakedownStore {
  const { takedowns, roles } = tables;
  const statements = {
    lock: prepared(`SELECT ${lockingArchive('', 1)}`),
    save: savingRole(tables),
    forbid: prepared(`
      INSERT INTO ${takedowns} AS known (${TAKEDOWNS.insert}) VALUES (${TAKEDOWNS.parameters(1)})
      ON CONFLICT (id, sha256) DO UPDATE SET reason = excluded.reason, at = excluded.at, lifted_at = NULL
      WHERE known.lifted_at IS NOT NULL`),
    keep: prepared(keepingFor(tables, '(SELECT 1) AS told', 1)),
    lift: prepared(`
      UPDATE ${takedowns} SET lifted_at = $3 WHERE id = $1 AND sha256 = $2 AND lifted_at IS NULL`),
    tell: tellingRole(tables),
    forbidden: prepared(`SELECT ${isForbidden(tables, 1)} AS forbidden`),
    of: prepared(`SELECT ${TAKEDOWNS.select} FROM ${takedowns} WHERE id = ANY ($1::text[])`),
    list: (filter: string): Statement =>
      unprepared(`
        SELECT ${TAKEDOWNS.select} FROM ${takedowns}
        WHERE lifted_at IS NULL AND (at, id, sha256) < ($1, $2, $3) ${filter}
        ORDER BY at DESC, id DESC, sha256 DESC LIMIT $4`),
    copies: unprepared(`
      SELECT id FROM ${roles}
      WHERE sha256 = $1 AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > $2) AND id > $3
      ORDER BY id LIMIT $4`),
    claim: prepared(`
      UPDATE ${roles} SET version = version + 1, claim_token = $2, not_before = $3, purged = true
      WHERE id = $1 AND archive_kept AND deleted_at IS NOT NULL
      RETURNING id AS role, account, archive, claim_token AS token, failures`),
  };

  /** Returns whether it was stored. Concurrent publications of the archive wait, and then see that it is forbidden. */
  async function takeDown(
    run: Run,
    takedown: Takedown,
    stopped: Versioned<Role> | undefined,
    events: readonly HistoryEvent[],
  ): Promise<boolean> {
    await run(statements.lock, [takedown.sha256]);
    if (stopped !== undefined) {
      const { count } = await run(
        statements.save,
        savedValues(stopped.value, stopped.version, events, 'operator'),
      );
      if (count === 0) return false;
    }
    const { count } = await run(statements.forbid, TAKEDOWNS.values(takedown));
    if (stopped !== undefined) return true;
    if (count === 1) await run(statements.keep, [rowsOf(events)]);
    return count === 1;
  }

  /** Returns whether this call lifted the takedown. */
  async function lift(
    run: Run,
    { id, sha256 }: Pick<Takedown, 'id' | 'sha256'>,
    at: Instant,
    events: readonly HistoryEvent[],
  ): Promise<boolean> {
    await run(statements.lock, [sha256]);
    const lifted = await run(statements.lift, [id, sha256, at]);
    if (lifted.count === 0) return false;
    const told = await run(statements.tell, [id, rowsOf(events)]);
    if (told.count === 0) await run(statements.keep, [rowsOf(events)]);
    return true;
  }

  return {
    takeDown: async (takedown, stopped, events) => {
      const isDone = await connection.transaction((run) => takeDown(run, takedown, stopped, events));
      return { kind: isDone ? 'taken_down' : 'conflict' };
    },
    lift: async (takedown, at, events) => {
      const isDone = await connection.transaction((run) => lift(run, takedown, at, events));
      return { kind: isDone ? 'lifted' : 'conflict' };
    },
    isForbidden: async (sha256) => {
      const [row] = await connection.read<{ forbidden: boolean }>(statements.forbidden, [sha256]);
      return row?.forbidden === true;
    },
    of: (ids) => connection.records(TAKEDOWNS, statements.of, [ids]),
    list: ({ sha256: of, after, limit }) => {
      const { at, id, sha256 } = after ?? NEWEST;
      const statement = statements.list(of === undefined ? '' : 'AND sha256 = $5');
      const values = [at, id, sha256, limit, ...(of === undefined ? [] : [of])];
      return connection.records(TAKEDOWNS, statement, values);
    },
    copies: async ({ sha256, now, after, limit }) => {
      const rows = await connection.read<{ id: RoleId }>(statements.copies, [
        sha256,
        now,
        after ?? '',
        limit,
      ]);
      return rows.map(({ id }) => id);
    },
    claimPurge: async ({ role, token, until }) =>
      (await connection.write<CleanupTask>(statements.claim, [role, token, until])).rows[0],
  };
}
