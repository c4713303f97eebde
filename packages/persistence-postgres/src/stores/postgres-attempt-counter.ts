import { createHash } from 'node:crypto';
import {
  type Attempt,
  type AttemptCounter,
  type AttemptTicket,
  after,
  before,
  type Instant,
} from '@pinfold/core';
import { type AttemptRefusal, refuseAttempt, UNSETTLED_AT_MOST } from '@pinfold/core/adapter';
import type { PostgresConnection } from '../engine/postgres-connection.ts';
import { deletingEnded, prepared, unprepared } from '../engine/statement.ts';
import type { Tables } from '../schema/tables.ts';

interface Window {
  readonly counted: string;
  readonly endsAt: Instant;
  readonly tries: number;
  readonly underWay: number;
}

/** The count of all addresses together; no address is counted under the empty text. */
const ALL = '';

/**
 * A row of `attempts` is a try that is not settled yet, and belongs to the windows with its ends. A window without a
 * counted try is closed, and the next try opens it again. Counting and forgiving first lock the role's row, so that
 * both limits are checked and counted in one step.
 */
function statementsOf({ attemptWindows, attempts }: Tables) {
  const counted = (row: string) => `CASE WHEN ${row}.ends_at > $3 AND ${row}.tries > 0 THEN`;
  return {
    lockRole: prepared(`
      INSERT INTO ${attemptWindows} AS known (role, counted, ends_at, tries) VALUES ($1, '${ALL}', 0, 0)
      ON CONFLICT (role, counted) DO UPDATE SET tries = known.tries`),
    /** Locks only for a try that is not settled yet: late answers create no row. */
    lockRoleOf: prepared(`
      INSERT INTO ${attemptWindows} AS known (role, counted, ends_at, tries)
      SELECT role, '${ALL}', 0, 0 FROM ${attempts} WHERE id = $1 AND role = $2
      ON CONFLICT (role, counted) DO UPDATE SET tries = known.tries`),
    windows: prepared(`
      SELECT counted, ends_at AS "endsAt", tries, (
        SELECT count(*) FROM ${attempts} AS own WHERE own.role = $1 AND own.begun_at > $4 AND CASE
          WHEN known.counted = '${ALL}' THEN own.role_ends_at = known.ends_at
          ELSE own.counted = known.counted AND own.ends_at = known.ends_at END
      ) AS "underWay"
      FROM ${attemptWindows} AS known
      WHERE role = $1 AND counted IN ('${ALL}', $2) AND ends_at > $3 AND tries > 0`),
    admit: prepared(`
      WITH of_role AS (
        UPDATE ${attemptWindows} AS old SET
          tries = ${counted('old')} old.tries + 1 ELSE 1 END,
          ends_at = ${counted('old')} old.ends_at ELSE $4 END
        WHERE role = $1 AND counted = '${ALL}' RETURNING ends_at
      ), of_address AS (
        INSERT INTO ${attemptWindows} AS old (role, counted, ends_at, tries) VALUES ($1, $2, $4, 1)
        ON CONFLICT (role, counted) DO UPDATE SET
          tries = ${counted('old')} old.tries + 1 ELSE 1 END,
          ends_at = ${counted('old')} old.ends_at ELSE $4 END
        RETURNING ends_at
      )
      INSERT INTO ${attempts} (role, counted, begun_at, ends_at, role_ends_at)
      SELECT $1, $2, $3, of_address.ends_at, of_role.ends_at FROM of_address, of_role
      RETURNING id::text AS id`),
    settle: prepared(`DELETE FROM ${attempts} WHERE id = $1`),
    // The role's row stays, since it is the lock; an address's row goes with its last try.
    forgive: prepared(`
      WITH taken_back AS (
        DELETE FROM ${attempts} WHERE id = $1 AND role = $2 RETURNING counted, ends_at, role_ends_at
      ), emptied AS (
        DELETE FROM ${attemptWindows} AS known USING taken_back
        WHERE known.role = $2 AND known.counted = taken_back.counted AND known.ends_at = taken_back.ends_at
          AND known.tries = 1
      )
      UPDATE ${attemptWindows} AS known SET tries = tries - 1 FROM taken_back
      WHERE known.role = $2 AND (
        (known.counted = taken_back.counted AND known.ends_at = taken_back.ends_at AND known.tries > 1)
        OR (known.counted = '${ALL}' AND known.ends_at = taken_back.role_ends_at AND known.tries > 0)
      )`),
    purgeWindows: deletingEnded(attemptWindows, 'role, counted'),
    purgeAttempts: deletingEnded(attempts, 'id', 'greatest(ends_at, role_ends_at)'),
    ended: unprepared(`
      SELECT (SELECT count(*) FROM ${attemptWindows} WHERE ends_at <= $1)
        + (SELECT count(*) FROM ${attempts} WHERE greatest(ends_at, role_ends_at) <= $1) AS ended`),
  };
}

export function postgresAttemptCounter(connection: PostgresConnection, tables: Tables): AttemptCounter {
  const statements = statementsOf(tables);
  return {
    begin: async (attempt) => {
      const { now, role } = attempt;
      const key = [role, countedFrom(attempt), now];
      const begunAfter = before(now, UNSETTLED_AT_MOST);
      // A client that is limited or must wait writes and locks nothing.
      const seen = await connection.read<Window>(statements.windows, [...key, begunAfter]);
      const refusal = refusalOf(seen, attempt);
      if (refusal !== undefined) return refusal;
      return await connection.transaction(async (run) => {
        await run(statements.lockRole, [role]);
        const locked = await run<Window>(statements.windows, [...key, begunAfter]);
        const late = refusalOf(locked.rows, attempt);
        if (late !== undefined) return late;
        const { rows } = await run<{ id: string }>(statements.admit, [...key, after(now, attempt.window)]);
        return { kind: 'admitted', ticket: JSON.stringify([rows[0]?.id, role]) as AttemptTicket };
      });
    },
    settle: async (ticket) => {
      const [id] = JSON.parse(ticket) as TicketParts;
      await connection.write(statements.settle, [id]);
    },
    forgive: (ticket) => {
      const [id, role] = JSON.parse(ticket) as TicketParts;
      return connection.transaction(async (run) => {
        await run(statements.lockRoleOf, [id, role]);
        await run(statements.forgive, [id, role]);
      });
    },
    purge: async (endedBy, limit) => {
      const windows = (await connection.write(statements.purgeWindows, [endedBy, limit])).count;
      if (windows >= limit) return windows;
      return windows + (await connection.write(statements.purgeAttempts, [endedBy, limit - windows])).count;
    },
    countEnded: async (endedBy) => {
      const [row] = await connection.read<{ ended: number }>(statements.ended, [endedBy]);
      return row?.ended ?? 0;
    },
  };
}

/** The row of a try, and the role to lock before it is touched. */
type TicketParts = readonly [id: string, role: Attempt['role']];

function refusalOf(open: readonly Window[], { perAddress, perRole }: Attempt): AttemptRefusal | undefined {
  return refuseAttempt(
    open.map((window) => ({ ...window, limit: window.counted === ALL ? perRole : perAddress })),
  );
}

/** Texts that do not fit an index, or that PostgreSQL cannot store, are counted by their digest. */
function countedFrom({ address }: Attempt): string {
  if (/^[ -~]{0,200}$/.test(address)) return `from ${address}`;
  return `digest ${createHash('sha256').update(address, 'utf16le').digest('hex')}`;
}
