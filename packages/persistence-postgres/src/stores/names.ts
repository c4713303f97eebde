import type { AccountId, NameRecord, NamesInUse, PinName, RoleId } from '@pinfold/core';
import type { StoredRow } from '@pinfold/core/adapter';
import type { Run } from '../engine/postgres-connection.ts';
import { prepared, type Statement } from '../engine/statement.ts';
import { NAMES } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';

interface InUseRow {
  readonly count: number;
  readonly id: RoleId | null;
  readonly isProtected: boolean | null;
}

/** Statements about the names of an account, whose row is locked meanwhile. */
export class NameRows {
  readonly #inUse: Statement;
  readonly #point: Statement;

  constructor({ names, roles }: Tables) {
    this.#inUse = prepared(`
      SELECT (SELECT count(*) FROM ${names} WHERE account = $1) AS count, shown.id,
        shown.password_hash IS NOT NULL AS "isProtected"
      FROM (SELECT 1) AS one LEFT JOIN (
        SELECT id, password_hash FROM ${roles} WHERE id = (
          SELECT role FROM ${names} WHERE account = $1 AND name = $2
        )
      ) AS shown ON true`);
    this.#point = prepared(`
      INSERT INTO ${names} (${NAMES.insert}) VALUES (${NAMES.parameters(1)})
      ON CONFLICT (account, name) DO UPDATE SET role = excluded.role, updated_at = excluded.updated_at
      RETURNING ${NAMES.select}`);
  }

  async inUse(run: Run, account: AccountId, name: PinName): Promise<NamesInUse> {
    const [row] = (await run<InUseRow>(this.#inUse, [account, name])).rows;
    const { count = 0, id = null, isProtected } = row ?? {};
    return { count, shown: id === null ? undefined : { id, isProtected: isProtected === true } };
  }

  /** Writes a name; one that exists keeps its token. */
  async point(run: Run, record: NameRecord): Promise<NameRecord> {
    const [row] = (await run<StoredRow<NameRecord>>(this.#point, NAMES.values(record))).rows;
    return NAMES.read(row as StoredRow<NameRecord>);
  }
}
