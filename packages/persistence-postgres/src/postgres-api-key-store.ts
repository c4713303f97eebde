import type { ApiKey, ApiKeyStore } from '@pinfold/core';
import type { Kept } from '@pinfold/core/adapter';
import { makingAccounts } from './accounts.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { API_KEYS } from './schema.ts';
import { prepared, type Statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** Keeps API keys in PostgreSQL. */
export function postgresApiKeyStore(connection: PostgresConnection, tables: Tables): ApiKeyStore {
  const { apiKeys } = tables;
  const making = makingAccounts(tables, 'SELECT account AS name FROM created');
  const select = `SELECT ${API_KEYS.select} FROM ${apiKeys}`;
  const statements = {
    create: prepared(`
      WITH created AS (
        INSERT INTO ${apiKeys} (${API_KEYS.insert}) VALUES (${API_KEYS.parameters(1)})
        ON CONFLICT (id) DO NOTHING RETURNING account
      ), made AS (${making})
      SELECT account FROM created`),
    // Of two at the same moment neither sees the other: the column that only one may have decides.
    createFirst: prepared(`
      WITH created AS (
        INSERT INTO ${apiKeys} (very_first, ${API_KEYS.insert})
        SELECT true, ${API_KEYS.parameters(1)}
        WHERE NOT EXISTS (SELECT 1 FROM ${apiKeys})
        ON CONFLICT DO NOTHING RETURNING account
      ), made AS (${making})
      SELECT account FROM created`),
    find: prepared(`${select} WHERE id = $1`),
    list: prepared(`${select} ORDER BY created_at, id`),
    listOfAccount: prepared(`${select} WHERE account = $1 ORDER BY created_at, id`),
    revoke: prepared(`UPDATE ${apiKeys} SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1`),
    touch: prepared(`
      UPDATE ${apiKeys} SET last_used_at = $2
      WHERE id = $1 AND (last_used_at IS NULL OR (last_used_at <= $3 AND last_used_at < $2))`),
  };
  const insert = async (statement: Statement, key: ApiKey): ReturnType<ApiKeyStore['create']> => {
    const { count } = await connection.write(statement, API_KEYS.values(key));
    return { kind: count === 1 ? 'created' : 'exists' };
  };
  return {
    create: (key) => insert(statements.create, key),
    createFirst: (key) => insert(statements.createFirst, key),
    find: async (id, signal) => {
      const [row] = await connection.read<Kept<ApiKey>>(statements.find, [id], signal);
      return row && API_KEYS.read(row);
    },
    list: async (account) => {
      const rows =
        account === undefined
          ? await connection.read<Kept<ApiKey>>(statements.list, [])
          : await connection.read<Kept<ApiKey>>(statements.listOfAccount, [account]);
      return rows.map(API_KEYS.read);
    },
    revoke: async (id, at) => {
      const { count } = await connection.write(statements.revoke, [id, at]);
      return { kind: count === 1 ? 'revoked' : 'unknown' };
    },
    touch: async (id, at, unlessSince) => {
      await connection.write(statements.touch, [id, at, unlessSince]);
    },
  };
}
