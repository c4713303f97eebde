import type { Account, AccountStore, Version } from '@pinfold/core';
import type { StoredRow } from '@pinfold/core/adapter';
import type { PostgresConnection } from '../engine/postgres-connection.ts';
import { prepared } from '../engine/statement.ts';
import { ACCOUNTS } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';
import { AccountRows } from './accounts.ts';
import { changing, rowsOf } from './events.ts';

const CHANGING = ['limits', 'blocked', 'generation'] as const;
const UNPUBLISHED = { lastPublishedAt: null, publicationsMark: null };

export function postgresAccountStore(connection: PostgresConnection, tables: Tables): AccountStore {
  const { accounts } = tables;
  const statements = {
    load: prepared(`SELECT version, ${ACCOUNTS.select} FROM ${accounts} WHERE name = $1`),
    list: prepared(`SELECT ${ACCOUNTS.select} FROM ${accounts} WHERE name > $1 ORDER BY name LIMIT $2`),
    create: changing(
      tables,
      `INSERT INTO ${accounts} (version, ${ACCOUNTS.insert}) VALUES (1, ${ACCOUNTS.parameters(1)})
       ON CONFLICT (name) DO NOTHING`,
      ACCOUNTS.members.length + 1,
    ),
    save: changing(
      tables,
      `UPDATE ${accounts} SET version = version + 1, ${ACCOUNTS.set(CHANGING, 3)} WHERE name = $1 AND version = $2`,
      CHANGING.length + 3,
    ),
  };
  const rows = new AccountRows(tables);
  return {
    load: async (name, signal) => {
      type AccountRow = StoredRow<Account> & { readonly version: Version };
      const [row] = await connection.read<AccountRow>(statements.load, [name], signal);
      return row && { value: ACCOUNTS.read(row), version: row.version };
    },
    save: async (change, loadedAt, events) => {
      const account: Account = { ...UNPUBLISHED, ...change };
      const { count } = await (loadedAt === undefined
        ? connection.write(statements.create, [...ACCOUNTS.values(account), rowsOf(events)])
        : connection.write(statements.save, [
            change.name,
            loadedAt,
            ...ACCOUNTS.values(account, CHANGING),
            rowsOf(events),
          ]));
      return { kind: count === 1 ? 'saved' : 'conflict' };
    },
    list: (after, limit) => connection.records(ACCOUNTS, statements.list, [after ?? '', limit]),
    usedBy: async (name, now) => ({
      ...(await rows.countInService(connection.run, name, now)),
      publications24h: await rows.countPublished(connection.run, name, now),
    }),
  };
}
