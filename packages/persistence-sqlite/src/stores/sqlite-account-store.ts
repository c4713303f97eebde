import type { Account, AccountStore, Version } from '@pinfold/core';
import type { StoredRow } from '@pinfold/core/adapter';
import type { Statements } from '../engine/sqlite-connection.ts';
import { recordsOf } from '../engine/sqlite-file.ts';
import { ACCOUNTS } from '../schema/columns.ts';
import { countInService, countPublished } from './accounts.ts';
import { keep } from './events.ts';

const LOAD = `SELECT version, ${ACCOUNTS.select} FROM accounts WHERE name = ?`;
const LIST = `SELECT ${ACCOUNTS.select} FROM accounts WHERE name > ? ORDER BY name LIMIT ?`;
const CHANGING = ['limits', 'blocked', 'generation'] as const;
const CREATE = `
  INSERT INTO accounts (version, ${ACCOUNTS.insert}) VALUES (1, ${ACCOUNTS.parameters(1)})
  ON CONFLICT (name) DO NOTHING`;
const SAVE = `
  UPDATE accounts SET version = version + 1, ${ACCOUNTS.set(CHANGING, 1)} WHERE name = ? AND version = ?`;

const UNPUBLISHED = { lastPublishedAt: null, publicationsMark: null };

export function sqliteAccountStore(connection: Statements): AccountStore {
  return {
    load: (name, signal) =>
      connection.read((prepare) => {
        const row = prepare<StoredRow<Account> & { readonly version: Version }>(LOAD).get(name);
        return row && { value: ACCOUNTS.read(row), version: row.version };
      }, signal),
    save: (change, loadedAt, events) =>
      connection[change.blocked === null ? 'write' : 'writeFromReserve']((prepare) => {
        const account: Account = { ...UNPUBLISHED, ...change };
        const { changes } =
          loadedAt === undefined
            ? prepare(CREATE).run(...ACCOUNTS.values(account))
            : prepare(SAVE).run(...ACCOUNTS.values(account, CHANGING), change.name, loadedAt);
        if (changes === 0) return { kind: 'conflict' };
        keep(prepare, events);
        return { kind: 'saved' };
      }),
    list: (after, limit) =>
      connection.read((prepare) => recordsOf(prepare, ACCOUNTS, LIST, after ?? '', limit)),
    usedBy: (name, now) =>
      connection.snapshot((prepare) => ({
        ...countInService(prepare, name, now),
        publications24h: countPublished(prepare, name, now),
      })),
  };
}
