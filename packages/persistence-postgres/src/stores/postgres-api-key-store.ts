import type { AccountId, ApiKeyStore } from '@pinfold/core';
import { NEWEST } from '@pinfold/core/internal';
import type { PostgresConnection } from '../engine/postgres-connection.ts';
import { deleting, prepared, unprepared } from '../engine/statement.ts';
import { API_KEYS } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';
import { keepingFor, rowsOf } from './events.ts';
import { countingLive, creatingKeys, keyInsertion } from './key-creation.ts';

export function postgresApiKeyStore(connection: PostgresConnection, tables: Tables): ApiKeyStore {
  const { apiKeys } = tables;
  const select = `SELECT ${API_KEYS.select} FROM ${apiKeys}`;
  const listed = `${select} WHERE (created_at, id) < ($1, $2)`;
  const inOrder = 'ORDER BY created_at DESC, id DESC LIMIT $3';
  const createKey = creatingKeys(tables);
  const statements = {
    // Concurrent statements do not see each other: the unique column `very_first` decides.
    createFirst: keyInsertion(
      tables,
      `INSERT INTO ${apiKeys} (very_first, ${API_KEYS.insert})
      SELECT true, ${API_KEYS.parameters(1)}
      WHERE NOT EXISTS (SELECT 1 FROM ${apiKeys})
      ON CONFLICT DO NOTHING`,
    ),
    find: prepared(`${select} WHERE id = $1`),
    // A generic plan, for any limit, could read the whole table.
    list: unprepared(`${listed} ${inOrder}`),
    listOfAccount: unprepared(`${listed} AND account = $4 ${inOrder}`),
    countLive: prepared(countingLive(tables, '$1')),
    revoke: prepared(`
      WITH revoked AS (
        UPDATE ${apiKeys} SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING 1
      ), kept AS (${keepingFor(tables, 'revoked', 3)})
      SELECT 1 FROM ${apiKeys} WHERE id = $1`),
    touch: prepared(`
      UPDATE ${apiKeys} SET last_used_at = $2
      WHERE id = $1 AND (last_used_at IS NULL OR (last_used_at <= $3 AND last_used_at < $2))`),
    purge: deleting(
      apiKeys,
      'id',
      `SELECT id FROM ${apiKeys}
      WHERE revoked_at < $1 AND revoked_at IS NOT NULL AND NOT ensured
        AND id <> (SELECT id FROM ${apiKeys} ORDER BY created_at, id LIMIT 1)
      ORDER BY revoked_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
    ),
  };
  return {
    create: (key, events, authority = 'account', limit = null) =>
      connection.transaction((run) => createKey(run, key, events, authority, limit)),
    createFirst: async (key, events) => {
      const { count } = await connection.write(statements.createFirst, [
        ...API_KEYS.values(key),
        rowsOf(events),
      ]);
      return { kind: count === 1 ? 'created' : 'exists' };
    },
    find: async (id, signal) => {
      const [key] = await connection.records(API_KEYS, statements.find, [id], signal);
      return key;
    },
    list: ({ account, after, limit }) => {
      const { createdAt, id } = after ?? NEWEST;
      const values = [createdAt, id, limit];
      return account === undefined
        ? connection.records(API_KEYS, statements.list, values)
        : connection.records(API_KEYS, statements.listOfAccount, [...values, account]);
    },
    countLive: async (account: AccountId) => {
      const [row] = await connection.read<{ live: number }>(statements.countLive, [account]);
      return row?.live ?? 0;
    },
    revoke: async (id, at, events) => {
      const { count } = await connection.write(statements.revoke, [id, at, rowsOf(events)]);
      return { kind: count === 1 ? 'revoked' : 'unknown' };
    },
    touch: async (id, at, unlessSince) => {
      await connection.write(statements.touch, [id, at, unlessSince]);
    },
    purge: async (revokedBefore, limit) =>
      (await connection.write(statements.purge, [revokedBefore, limit])).count,
  };
}
