import type {
  AccountId,
  HistoryEvent,
  NameChange,
  NamePlace,
  NameRecord,
  NameStore,
  PinName,
  Refusal,
  Role,
  RoleId,
  Unchangeable,
} from '@pinfold/core';
import { decideName, refuseChange, type StoredRow, UNAUTHORIZED } from '@pinfold/core/adapter';
import type { PostgresConnection, Run } from '../engine/postgres-connection.ts';
import { prepared } from '../engine/statement.ts';
import { NAMES } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';
import { AccountRows } from './accounts.ts';
import { rowsOf, tellingRole } from './events.ts';
import { NameRows } from './names.ts';
import { loadingRoles, type RoleRow, readRole } from './role-store/roles.ts';

type ResolvedRow = RoleRow &
  Pick<NameRecord, 'name' | 'role' | 'updatedAt'> & { readonly nameAccount: AccountId };

export function postgresNameStore(connection: PostgresConnection, tables: Tables): NameStore {
  const { names, roles } = tables;
  const accounts = new AccountRows(tables);
  const rows = new NameRows(tables);
  const statements = {
    find: prepared(`SELECT ${NAMES.select} FROM ${names} WHERE account = $1 AND name = $2`),
    list: prepared(`
      SELECT ${NAMES.select} FROM ${names} WHERE account = $1 AND name > $2 ORDER BY name LIMIT $3`),
    resolve: prepared(`
      ${loadingRoles(tables, ', shown_account AS "nameAccount", shown_name AS name, id AS role, shown_at AS "updatedAt"')}
      JOIN (
        SELECT account AS shown_account, name AS shown_name, role AS shown_role, updated_at AS shown_at
        FROM ${names} WHERE token = $1
      ) AS shown ON shown_role = id`),
    // Locked, so that a stop either comes first or waits.
    role: prepared(`
      SELECT id, deleted_at AS "deletedAt", expires_at AS "expiresAt" FROM ${roles}
      WHERE id = $1 AND account = $2 FOR NO KEY UPDATE`),
    delete: prepared(`DELETE FROM ${names} WHERE account = $1 AND name = $2 RETURNING role`),
    tell: tellingRole(tables),
  };
  const find = async (run: Run, account: AccountId, name: PinName): Promise<NameRecord | undefined> => {
    const [row] = (await run<StoredRow<NameRecord>>(statements.find, [account, name])).rows;
    return row && NAMES.read(row);
  };

  /** Locks the account's row, on which all changes of its names take turns. */
  async function refused(
    run: Run,
    { account, credential = {} }: NamePlace,
  ): Promise<Unchangeable | Refusal<'unauthorized'> | undefined> {
    const owner = await accounts.lock(run, account, null, credential);
    return owner.hasEnded ? UNAUTHORIZED : refuseChange(owner.account, owner.mode);
  }

  async function set(
    run: Run,
    change: NameChange,
    events: readonly HistoryEvent[],
  ): ReturnType<NameStore['set']> {
    const { account, name, token, role: id, now, limit } = change;
    const refusal = await refused(run, change);
    if (refusal !== undefined) return refusal;
    const [role] = (await run<Pick<Role, 'id' | 'deletedAt' | 'expiresAt'>>(statements.role, [id, account]))
      .rows;
    const decided = decideName(role, await rows.inUse(run, account, name), { now, limit });
    if (decided.kind === 'refused') return decided;
    if (decided.kind === 'unchanged') {
      return { kind: 'unchanged', name: (await find(run, account, name)) as NameRecord };
    }
    const record = await rows.point(run, { account, name, token, role: id, updatedAt: now });
    await run(statements.tell, [id, rowsOf(events)]);
    return { kind: decided.kind, name: record };
  }

  async function remove(
    run: Run,
    place: NamePlace,
    events: readonly HistoryEvent[],
  ): ReturnType<NameStore['delete']> {
    const refusal = await refused(run, place);
    if (refusal !== undefined) return refusal;
    const [deleted] = (await run<{ role: RoleId }>(statements.delete, [place.account, place.name])).rows;
    if (deleted === undefined) return { kind: 'unknown' };
    const removed = events.map((event) => ({ ...event, pin: deleted.role }));
    await run(statements.tell, [deleted.role, rowsOf(removed)]);
    return { kind: 'deleted' };
  }

  return {
    find: async (account, name) => {
      const [record] = await connection.records(NAMES, statements.find, [account, name]);
      return record;
    },
    resolve: async (token, signal) => {
      const [row] = await connection.read<ResolvedRow>(statements.resolve, [token], signal);
      if (row === undefined) return undefined;
      const { nameAccount: account, name, role, updatedAt } = row;
      return { name: { account, name, token, role, updatedAt }, role: readRole(row) };
    },
    list: (account, after, limit) =>
      connection.records(NAMES, statements.list, [account, after ?? '', limit]),
    set: (change, events) => connection.transaction((run) => set(run, change, events)),
    delete: (place, events) => connection.transaction((run) => remove(run, place, events)),
  };
}
