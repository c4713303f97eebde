import type { AccountId, ApiKey, ApiKeyStore, Authority, HistoryEvent } from '@pinfold/core';
import { refuseKey } from '@pinfold/core/adapter';
import { NEWEST } from '@pinfold/core/internal';
import type { Statements } from '../engine/sqlite-connection.ts';
import { type Prepare, recordsOf } from '../engine/sqlite-file.ts';
import { API_KEYS } from '../schema/columns.ts';
import { makeAccount } from './accounts.ts';
import { keep } from './events.ts';
import { refused } from './mode.ts';

const VALUES = `(${API_KEYS.insert}) SELECT ${API_KEYS.parameters(1)}`;
const CREATE = `INSERT INTO api_keys ${VALUES} WHERE TRUE ON CONFLICT (id) DO NOTHING`;
const CREATE_FIRST = `INSERT INTO api_keys ${VALUES} WHERE NOT EXISTS (SELECT 1 FROM api_keys)`;
const FIND = `SELECT ${API_KEYS.select} FROM api_keys WHERE id = ?`;
const ENSURE = 'UPDATE api_keys SET ensured = 1 WHERE id = ?';
const LISTED = `SELECT ${API_KEYS.select} FROM api_keys WHERE (created_at, id) < (@createdAt, @id)`;
const IN_ORDER = 'ORDER BY created_at DESC, id DESC LIMIT @limit';
const LIST = `${LISTED} ${IN_ORDER}`;
const LIST_OF_ACCOUNT = `${LISTED} AND account = @account ${IN_ORDER}`;
const COUNT_LIVE = 'SELECT count(*) AS live FROM api_keys WHERE account = ? AND revoked_at IS NULL';
const REVOKE = 'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL';
const STALE = 'id = @id AND (last_used_at IS NULL OR (last_used_at <= @unlessSince AND last_used_at < @at))';
const IS_STALE = `SELECT 1 FROM api_keys WHERE ${STALE}`;
const TOUCH = `UPDATE api_keys SET last_used_at = @at WHERE ${STALE}`;

const PURGE = `
  DELETE FROM api_keys WHERE id IN (
    SELECT id FROM api_keys
    WHERE revoked_at < ? AND revoked_at IS NOT NULL AND ensured = 0
      AND id <> (SELECT id FROM api_keys ORDER BY created_at, id LIMIT 1)
    LIMIT ?
  )`;

export function sqliteApiKeyStore(connection: Statements): ApiKeyStore {
  return {
    create: (key, events, authority = 'account', limit = null) =>
      connection.write((prepare) => createKey(prepare, key, events, authority, limit)),
    createFirst: (key, events) => connection.write((prepare) => insert(prepare, CREATE_FIRST, key, events)),
    find: (id, signal) => connection.read((prepare) => recordsOf(prepare, API_KEYS, FIND, id)[0], signal),
    list: ({ account, after, limit }) =>
      connection.read((prepare) => {
        const { createdAt, id } = after ?? NEWEST;
        const sql = account === undefined ? LIST : LIST_OF_ACCOUNT;
        return recordsOf(prepare, API_KEYS, sql, { account, createdAt, id, limit });
      }),
    countLive: (account) => connection.read((prepare) => countLive(prepare, account)),
    revoke: (id, at, events) =>
      connection.writeFromReserve((prepare) => {
        if (prepare(REVOKE).run(at, id).changes === 1) keep(prepare, events);
        return { kind: prepare(FIND).get(id) === undefined ? 'unknown' : 'revoked' };
      }),
    touch: async (id, at, unlessSince) => {
      // Nearly every use was noted a moment ago, and asking takes no lock.
      const use = { id, at, unlessSince };
      const stale = await connection.read((prepare) => prepare(IS_STALE).get(use) !== undefined);
      if (stale) await connection.write((prepare) => prepare(TOUCH).run(use));
    },
    purge: (revokedBefore, limit) =>
      connection.writeFromReserve((prepare) => prepare(PURGE).run(revokedBefore, limit).changes),
  };
}

/** Creates a key in a transaction, as {@link ApiKeyStore.create} promises. */
export function createKey(
  prepare: Prepare,
  key: ApiKey,
  events: readonly HistoryEvent[],
  authority: Authority,
  limit: number | null,
): Awaited<ReturnType<ApiKeyStore['create']>> {
  const refusal = refused(prepare, key.account, authority);
  if (refusal !== undefined) return refusal;
  if (prepare(FIND).get(key.id) !== undefined) {
    if (key.isEnsured) prepare(ENSURE).run(key.id);
    return { kind: 'exists' };
  }
  const isBound = authority === 'account' && limit !== null;
  const past = isBound ? refuseKey(countLive(prepare, key.account), limit) : undefined;
  return past ?? insert(prepare, CREATE, key, events);
}

function countLive(prepare: Prepare, account: AccountId): number {
  return prepare<{ readonly live: number }>(COUNT_LIVE).get(account)?.live ?? 0;
}

function insert(
  prepare: Prepare,
  sql: string,
  key: ApiKey,
  events: readonly HistoryEvent[],
): Awaited<ReturnType<ApiKeyStore['createFirst']>> {
  if (prepare(sql).run(...API_KEYS.values(key)).changes === 0) return { kind: 'exists' };
  makeAccount(prepare, key.account);
  keep(prepare, events);
  return { kind: 'created' };
}
