import type { ApiKey, ApiKeyStore, HistoryEvent } from '@pinfold/core';
import type { Kept } from '@pinfold/core/adapter';
import { makeAccount } from './accounts.ts';
import { keep } from './events.ts';
import { refused } from './mode.ts';
import { API_KEYS } from './schema.ts';
import type { Statements } from './sqlite-connection.ts';
import type { Prepare } from './sqlite-file.ts';

const VALUES = `(${API_KEYS.insert}) SELECT ${API_KEYS.parameters(1)}`;
const CREATE = `INSERT INTO api_keys ${VALUES} WHERE TRUE ON CONFLICT (id) DO NOTHING`;
const CREATE_FIRST = `INSERT INTO api_keys ${VALUES} WHERE NOT EXISTS (SELECT 1 FROM api_keys)`;
const FIND = `SELECT ${API_KEYS.select} FROM api_keys WHERE id = ?`;
const LIST = `SELECT ${API_KEYS.select} FROM api_keys ORDER BY created_at, id`;
const LIST_OF_ACCOUNT = `SELECT ${API_KEYS.select} FROM api_keys WHERE account = ? ORDER BY created_at, id`;
const REVOKE = 'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL';
const STALE = 'id = @id AND (last_used_at IS NULL OR (last_used_at <= @unlessSince AND last_used_at < @at))';
const IS_STALE = `SELECT 1 FROM api_keys WHERE ${STALE}`;
const TOUCH = `UPDATE api_keys SET last_used_at = @at WHERE ${STALE}`;

/** Keeps API keys in a SQLite file. */
export function sqliteApiKeyStore(connection: Statements): ApiKeyStore {
  return {
    create: (key, events, authority) =>
      connection.write(
        (prepare) => refused(prepare, key.account, authority) ?? insert(prepare, CREATE, key, events),
      ),
    createFirst: (key, events) => connection.write((prepare) => insert(prepare, CREATE_FIRST, key, events)),
    find: (id, signal) =>
      connection.read((prepare) => {
        const row = prepare<Kept<ApiKey>>(FIND).get(id);
        return row && API_KEYS.read(row);
      }, signal),
    list: (account) =>
      connection.read((prepare) => {
        const rows =
          account === undefined
            ? prepare<Kept<ApiKey>>(LIST).all()
            : prepare<Kept<ApiKey>>(LIST_OF_ACCOUNT).all(account);
        return rows.map(API_KEYS.read);
      }),
    revoke: (id, at, events) =>
      connection.write((prepare) => {
        if (prepare(REVOKE).run(at, id).changes === 1) keep(prepare, events);
        return { kind: prepare(FIND).get(id) === undefined ? 'unknown' : 'revoked' };
      }),
    touch: async (id, at, unlessSince) => {
      // Nearly every use was noted a moment ago, and asking takes no lock.
      const use = { id, at, unlessSince };
      const stale = await connection.read((prepare) => prepare(IS_STALE).get(use) !== undefined);
      if (stale) await connection.note((prepare) => prepare(TOUCH).run(use));
    },
  };
}

function insert(
  prepare: Prepare,
  sql: string,
  key: ApiKey,
  events: readonly HistoryEvent[],
): { readonly kind: 'created' } | { readonly kind: 'exists' } {
  if (prepare(sql).run(...API_KEYS.values(key)).changes === 0) return { kind: 'exists' };
  makeAccount(prepare, key.account);
  keep(prepare, events);
  return { kind: 'created' };
}
