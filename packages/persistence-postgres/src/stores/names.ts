import type { AccountId, Instant, NameRecord, NamesInUse, NameToken, PinName, RoleId } from '@pinfold/core';
import type { StoredRow } from '@pinfold/core/adapter';
import type { Run } from '../engine/postgres-connection.ts';
import { prepared } from '../engine/statement.ts';
import { NAMES } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';

interface InUseRow {
  readonly count: number;
  readonly id: RoleId | null;
  readonly isProtected: boolean | null;
}

/** Statements about the names of an account, whose row is locked meanwhile. */
export interface NameRows {
  /** The names before one of them is pointed at a role. */
  inUse(run: Run, account: AccountId, name: PinName): Promise<NamesInUse>;
  /** Writes a name; one that exists keeps its token. */
  point(
    run: Run,
    account: AccountId,
    named: { readonly name: PinName; readonly token: NameToken },
    role: RoleId,
    updatedAt: Instant,
  ): Promise<NameRecord>;
}

export function nameRows({ names, roles }: Tables): NameRows {
  const statements = {
    inUse: prepared(`
      SELECT (SELECT count(*) FROM ${names} WHERE account = $1) AS count, shown.id,
        shown.password_hash IS NOT NULL AS "isProtected"
      FROM (SELECT 1) AS one LEFT JOIN (
        SELECT id, password_hash FROM ${roles} WHERE id = (
          SELECT role FROM ${names} WHERE account = $1 AND name = $2
        )
      ) AS shown ON true`),
    point: prepared(`
      INSERT INTO ${names} (${NAMES.insert}) VALUES (${NAMES.parameters(1)})
      ON CONFLICT (account, name) DO UPDATE SET role = excluded.role, updated_at = excluded.updated_at
      RETURNING ${NAMES.select}`),
  };
  return {
    inUse: async (run, account, name) => {
      const [row] = (await run<InUseRow>(statements.inUse, [account, name])).rows;
      const { count = 0, id = null, isProtected } = row ?? {};
      return { count, shown: id === null ? undefined : { id, isProtected: isProtected === true } };
    },
    point: async (run, account, named, role, updatedAt) => {
      const record = { account, ...named, role, updatedAt };
      const [row] = (await run<StoredRow<NameRecord>>(statements.point, NAMES.values(record))).rows;
      return NAMES.read(row as StoredRow<NameRecord>);
    },
  };
}
