import type { ApiKey, ApiKeyStore, HistoryEvent } from '@pinfold/core';
import type { Kept } from '@pinfold/core/adapter';
import { makingAccounts } from './accounts.ts';
import { keepingFor, rowsOf } from './events.ts';
import { mayChange, refusals, takesChanges } from './mode.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { API_KEYS } from './schema.ts';
import { prepared, type Statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** Keeps API keys in PostgreSQL. */
export function postgresApiKeyStore(connection: PostgresConnection, tables: Tables): ApiKeyStore {
  const { apiKeys } = tables;
  const places = API_KEYS.members.length;
  const account = `$${API_KEYS.members.indexOf('account') + 1}`;
  const making = makingAccounts(tables, 'SELECT account AS name FROM created');
  const withEvents = (create: string): Statement =>
    prepared(`
      WITH created AS (${create} RETURNING account), made AS (${making}),
        kept AS (${keepingFor(tables, 'created', places + 1)})
      SELECT 1 FROM created`);
  const select = `SELECT ${API_KEYS.select} FROM ${apiKeys}`;
  const refused = refusals(connection, tables);
  const statements = {
    create: withEvents(`
      INSERT INTO ${apiKeys} (${API_KEYS.insert}) SELECT ${API_KEYS.parameters(1)}
      WHERE $${places + 2}::boolean OR (${takesChanges(tables)} AND ${mayChange(tables, account)})
      ON CONFLICT (id) DO NOTHING`),
    // Of two at the same moment neither sees the other: the column that only one may have decides.
    createFirst: withEvents(`
      INSERT INTO ${apiKeys} (very_first, ${API_KEYS.insert})
      SELECT true, ${API_KEYS.parameters(1)}
      WHERE NOT EXISTS (SELECT 1 FROM ${apiKeys})
      ON CONFLICT DO NOTHING`),
    find: prepared(`${select} WHERE id = $1`),
    list: prepared(`${select} ORDER BY created_at, id`),
    listOfAccount: prepared(`${select} WHERE account = $1 ORDER BY created_at, id`),
    revoke: prepared(`
      WITH revoked AS (
        UPDATE ${apiKeys} SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING 1
      ), kept AS (${keepingFor(tables, 'revoked', 3)})
      SELECT 1 FROM ${apiKeys} WHERE id = $1`),
    touch: prepared(`
      UPDATE ${apiKeys} SET last_used_at = $2
      WHERE id = $1 AND (last_used_at IS NULL OR (last_used_at <= $3 AND last_used_at < $2))`),
  };
  const insert = async (
    statement: Statement,
    key: ApiKey,
    events: readonly HistoryEvent[],
    more: readonly unknown[] = [],
  ): Promise<boolean> => {
    const { count } = await connection.write(statement, [...API_KEYS.values(key), rowsOf(events), ...more]);
    return count === 1;
  };
  return {
    create: async (key, events, authority = 'account') => {
      if (await insert(statements.create, key, events, [authority === 'operator']))
        return { kind: 'created' };
      return (await refused(key.account, authority)) ?? { kind: 'exists' };
    },
    createFirst: async (key, events) => ({
      kind: (await insert(statements.createFirst, key, events)) ? 'created' : 'exists',
    }),
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
    revoke: async (id, at, events) => {
      const { count } = await connection.write(statements.revoke, [id, at, rowsOf(events)]);
      return { kind: count === 1 ? 'revoked' : 'unknown' };
    },
    touch: async (id, at, unlessSince) => {
      await connection.write(statements.touch, [id, at, unlessSince]);
    },
  };
}
