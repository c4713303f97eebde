import {
  type Attempt,
  type AttemptCounter,
  type AttemptOutcome,
  type AttemptTicket,
  after,
  type Instant,
} from '@pinfold/core';
import type { PostgresConnection } from './postgres-connection.ts';
import { planned, prepared, type Statement } from './statement.ts';
import type { Tables } from './tables.ts';

interface Statements {
  readonly lockRole: Statement;
  readonly windows: Statement;
  readonly admit: Statement;
  readonly lockRoleOf: Statement;
  readonly forgive: Statement;
  readonly purge: Statement;
  readonly ended: Statement;
}

interface Window {
  readonly counted: string;
  readonly endsAt: Instant;
  readonly tries: number;
}

/** The count of all addresses together; no address is counted under the empty text. */
const ALL = '';

/**
 * A window without a counted try is none: it opens again with the next one. Whoever counts, or takes back, first locks
 * the row of the role, so that both limits are looked at and counted in one step.
 */
function statementsOf({ attemptWindows, attempts }: Tables): Statements {
  const counted = (row: string) => `CASE WHEN ${row}.ends_at > $3 AND ${row}.tries > 0 THEN`;
  return {
    lockRole: prepared(`
      INSERT INTO ${attemptWindows} AS known (role, counted, ends_at, tries) VALUES ($1, '${ALL}', $2, 0)
      ON CONFLICT (role, counted) DO UPDATE SET tries = known.tries`),
    windows: prepared(`
      SELECT counted, ends_at AS "endsAt", tries FROM ${attemptWindows}
      WHERE role = $1 AND counted IN ('${ALL}', $2)`),
    admit: prepared(`
      WITH outdated AS (
        DELETE FROM ${attempts} WHERE role = $1 AND counted = $2 AND ends_at <= $3
      ), of_role AS (
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
      INSERT INTO ${attempts} (role, counted, ends_at, role_ends_at)
      SELECT $1, $2, of_address.ends_at, of_role.ends_at FROM of_address, of_role
      RETURNING id::text AS ticket`),
    lockRoleOf: prepared(`
      SELECT 1 FROM ${attemptWindows}
      WHERE role = (SELECT role FROM ${attempts} WHERE id = $1) AND counted = '${ALL}' FOR UPDATE`),
    forgive: prepared(`
      WITH taken_back AS (
        DELETE FROM ${attempts} WHERE id = $1 RETURNING role, counted, ends_at, role_ends_at
      )
      UPDATE ${attemptWindows} AS known SET tries = tries - 1 FROM taken_back
      WHERE known.role = taken_back.role AND known.tries > 0 AND (
        (known.counted = taken_back.counted AND known.ends_at = taken_back.ends_at)
        OR (known.counted = '${ALL}' AND known.ends_at = taken_back.role_ends_at)
      )`),
    // Planned for any limit, it would read the whole table.
    purge: planned(`
      DELETE FROM ${attemptWindows} WHERE (role, counted) IN (
        SELECT role, counted FROM ${attemptWindows}
        WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2 FOR UPDATE SKIP LOCKED
      )`),
    ended: planned(`SELECT count(*) AS ended FROM ${attemptWindows} WHERE ends_at <= $1`),
  };
}

/** Counts tries of passwords in PostgreSQL, which all nodes share. */
export class PostgresAttemptCounter implements AttemptCounter {
  readonly #connection: PostgresConnection;
  readonly #statements: Statements;

  constructor(connection: PostgresConnection, tables: Tables) {
    this.#connection = connection;
    this.#statements = statementsOf(tables);
  }

  async begin(attempt: Attempt): Promise<AttemptOutcome> {
    const key = [attempt.role, countedFrom(attempt)];
    // Who is limited writes and locks nothing, however often that is.
    const seen = await this.#connection.read<Window>(this.#statements.windows, key);
    return limitedBy(seen, attempt) ?? (await this.#count(attempt, key));
  }

  forgive(ticket: AttemptTicket): Promise<void> {
    return this.#connection.transaction(async (run) => {
      await run(this.#statements.lockRoleOf, [ticket]);
      await run(this.#statements.forgive, [ticket]);
    });
  }

  async purge(endedBy: Instant, limit: number): Promise<number> {
    return (await this.#connection.write(this.#statements.purge, [endedBy, limit])).count;
  }

  async countEnded(endedBy: Instant): Promise<number> {
    const [row] = await this.#connection.read<{ ended: number }>(this.#statements.ended, [endedBy]);
    return row?.ended ?? 0;
  }

  #count(attempt: Attempt, key: readonly string[]): Promise<AttemptOutcome> {
    const { role, now, window } = attempt;
    return this.#connection.transaction(async (run) => {
      await run(this.#statements.lockRole, [role, now]);
      const locked = await run<Window>(this.#statements.windows, key);
      const limited = limitedBy(locked.rows, attempt);
      if (limited !== undefined) return limited;
      const { rows } = await run<{ ticket: AttemptTicket }>(this.#statements.admit, [
        ...key,
        now,
        after(now, window),
      ]);
      return { kind: 'admitted', ticket: rows[0]?.ticket as AttemptTicket };
    });
  }
}

/** The later end of the windows that are full. */
function limitedBy(windows: readonly Window[], attempt: Attempt): AttemptOutcome | undefined {
  const { now, perAddress, perRole } = attempt;
  const ends = windows
    .filter(({ counted, tries }) => tries >= (counted === ALL ? perRole : perAddress))
    .map(({ endsAt }) => endsAt)
    .filter((endsAt) => endsAt > now);
  return ends.length === 0 ? undefined : { kind: 'limited', until: Math.max(...ends) as Instant };
}

function countedFrom({ address }: Attempt): string {
  return `from ${address}`;
}
