import type {
  AccountId,
  HistoryEvent,
  NameChange,
  NameRecord,
  NameStore,
  NamesInUse,
  PinName,
  Role,
  RoleCommit,
} from '@pinfold/core';
import { decideName } from '@pinfold/core/adapter';
import type { Statements } from '../engine/sqlite-connection.ts';
import { type Prepare, recordsOf } from '../engine/sqlite-file.ts';
import { NAMES } from '../schema/columns.ts';
import { keepOfRole } from './events.ts';
import { refused, refusedCredential } from './mode.ts';
import { copyOf, LOADED, type RoleRow, readRole } from './role-store/roles.ts';

const FIND = `SELECT ${NAMES.select} FROM names WHERE account = ? AND name = ?`;
const LIST = `SELECT ${NAMES.select} FROM names WHERE account = ? AND name > ? ORDER BY name LIMIT ?`;
const RESOLVE = `
  SELECT ${LOADED}, shown_account AS nameAccount, shown_name AS name, id AS role, shown_at AS updatedAt
  FROM roles JOIN (
    SELECT account AS shown_account, name AS shown_name, role AS shown_role, updated_at AS shown_at
    FROM names WHERE token = ?
  ) ON id = shown_role`;
const IN_USE = `
  SELECT count(*) AS count, (
    SELECT json_array(roles.id, roles.password_hash IS NOT NULL)
    FROM names JOIN roles ON roles.id = names.role WHERE names.account = @account AND names.name = @name
  ) AS shown FROM names WHERE account = @account`;
const ROLE = `
  SELECT id, deleted_at AS deletedAt, expires_at AS expiresAt FROM roles WHERE id = ? AND account = ?`;
const POINT = `
  INSERT INTO names (${NAMES.insert}) VALUES (${NAMES.parameters(1)})
  ON CONFLICT (account, name) DO UPDATE SET role = excluded.role, updated_at = excluded.updated_at
  RETURNING ${NAMES.select}`;
const DELETE = 'DELETE FROM names WHERE account = ? AND name = ?';

export function sqliteNameStore(connection: Statements): NameStore {
  return {
    find: (account, name) => connection.read((prepare) => find(prepare, account, name)),
    resolve: async (token, signal) => {
      const found = await connection.readCached(RESOLVE, token, readResolved, signal);
      return found && { name: { ...found.name, token }, role: copyOf(found.role) };
    },
    list: (account, after = '' as PinName, limit) =>
      connection.read((prepare) => recordsOf(prepare, NAMES, LIST, account, after, limit)),
    set: (change, events) => connection.write((prepare) => set(prepare, change, events)),
    delete: ({ account, name, credential = {} }, events) =>
      connection.write((prepare) => {
        const refusal = refusedCredential(prepare, credential) ?? refused(prepare, account);
        if (refusal !== undefined) return refusal;
        const found = find(prepare, account, name);
        if (found === undefined) return { kind: 'unknown' };
        prepare(DELETE).run(account, name);
        keepOfRole(prepare, found.role, events);
        return { kind: 'deleted' };
      }),
  };
}

type ResolvedRow = RoleRow & Omit<NameRecord, 'account' | 'token'> & { readonly nameAccount: AccountId };

function readResolved(row: ResolvedRow) {
  const { nameAccount: account, name, role, updatedAt } = row;
  return { name: { account, name, role, updatedAt }, role: readRole(row) };
}

function find(prepare: Prepare, account: AccountId, name: PinName): NameRecord | undefined {
  return recordsOf(prepare, NAMES, FIND, account, name)[0];
}

function set(
  prepare: Prepare,
  { account, name, credential = {}, token, role: id, now, limit }: NameChange,
  events: readonly HistoryEvent[],
): Awaited<ReturnType<NameStore['set']>> {
  const refusal = refusedCredential(prepare, credential) ?? refused(prepare, account);
  if (refusal !== undefined) return refusal;
  const role = prepare<Pick<Role, 'id' | 'deletedAt' | 'expiresAt'>>(ROLE).get(id, account);
  const decided = decideName(role, namesInUse(prepare, account, name), { now, limit });
  if (decided.kind === 'refused') return decided;
  if (decided.kind === 'unchanged') {
    return { kind: 'unchanged', name: find(prepare, account, name) as NameRecord };
  }
  const record = point(prepare, { account, name, token, role: id, updatedAt: now });
  keepOfRole(prepare, id, events);
  return { kind: decided.kind, name: record };
}

/** The names of an account before one of them is pointed at a role. */
export function namesInUse(prepare: Prepare, account: AccountId, name: PinName): NamesInUse {
  const row = prepare<{ count: number; shown: string | null }>(IN_USE).get({ account, name });
  const [id, isProtected] = JSON.parse(row?.shown ?? '[]');
  return { count: row?.count ?? 0, shown: id && { id, isProtected: isProtected === 1 } };
}

export function pointName(
  prepare: Prepare,
  { role: { account, id: role }, now: updatedAt }: RoleCommit,
  named: NonNullable<RoleCommit['name']>,
): void {
  point(prepare, { ...named, account, role, updatedAt });
}

/** Writes a name; one that exists keeps its token. */
function point(prepare: Prepare, record: NameRecord): NameRecord {
  return recordsOf(prepare, NAMES, POINT, ...NAMES.values(record))[0] as NameRecord;
}
