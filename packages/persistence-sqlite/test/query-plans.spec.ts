import { join } from 'node:path';
import { START } from '@pinfold/test-contracts/fixtures';
import { useEveryStore } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { SqliteConnection, type Statements } from '../src/engine/sqlite-connection.ts';
import type { Prepare } from '../src/engine/sqlite-file.ts';
import { migrate } from '../src/schema/migrate.ts';
import { sqliteStores } from '../src/stores/sqlite-stores.ts';
import { inFolder } from './in-folder.ts';

/** Steps that read a table or an index from its beginning, and why each may. */
const ALLOWED = new Map([
  ['SCAN api_keys USING INDEX api_keys_in_order', 'the list of all keys, for the operator'],
  ['SCAN api_keys', 'whether there is any key: it ends at the first'],
  ['SCAN api_keys USING COVERING INDEX api_keys_in_order', 'whether there is any key: it ends at the first'],
  ['SCAN schema_state', 'a table of one row'],
  ['SCAN feed', 'a table of one row'],
  ['SCAN own', 'one value'],
  ['SCAN events USING COVERING INDEX events_number', 'the newest event: it ends at the first'],
  ['USE TEMP B-TREE FOR ORDER BY', 'the events of one publication in a feed'],
  ['SCAN looked', 'at most 2,000 roles found by an index'],
  ['SCAN CONSTANT ROW', 'no table at all'],
  ['USE TEMP B-TREE FOR DISTINCT', 'the publications that had an event within 20 minutes, for the sweep'],
]);

/** Notes the text of every statement on its way to the connection. */
function noting(connection: SqliteConnection, texts: Set<string>): Statements {
  const noted =
    (prepare: Prepare): Prepare =>
    (sql) => {
      texts.add(sql);
      return prepare(sql);
    };
  return {
    read: (work, signal) => connection.read((prepare) => work(noted(prepare)), signal),
    readCached: (sql, ...rest) => {
      texts.add(sql);
      return connection.readCached(sql, ...rest);
    },
    snapshot: (work) => connection.snapshot((prepare) => work(noted(prepare))),
    readTransaction: () => connection.readTransaction(),
    write: (work) => connection.write((prepare) => work(noted(prepare))),
    writeSchema: (work) => connection.writeSchema((prepare, exec) => work(noted(prepare), exec)),
    writeFromReserve: (work) => connection.writeFromReserve((prepare) => work(noted(prepare))),
  };
}

describe('Every statement of a request', () => {
  it('finds its rows by an index, and sorts none', () =>
    inFolder(async (folder) => {
      const connection = new SqliteConnection(join(folder, 'pinfold.sqlite'), async () => {});
      const texts = new Set<string>();
      const noted = noting(connection, texts);
      await migrate(connection);
      const stores = sqliteStores(noted as SqliteConnection, { close: async () => {} });
      await useEveryStore(stores);
      await stores.roles.countForCleanup({ now: START, endedBefore: START, begunBefore: START });
      await stores.attempts.countEnded(START);
      expect(texts.size).to.be.greaterThan(40);
      const steps = new Set<string>();
      for (const text of texts) {
        const plan = await connection.read((prepare) =>
          prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`).all(...unbound(text)),
        );
        for (const { detail } of plan) {
          steps.add(detail);
          const slow = /^(?:SCAN|USE TEMP B-TREE|MATERIALIZE)/.test(detail) && !ALLOWED.has(detail);
          expect(slow ? detail : '', text).to.equal('');
        }
      }
      const whose = `EXPLAIN QUERY PLAN SELECT id, account, title FROM roles WHERE archive = ''`;
      const plan = await connection.read((prepare) => prepare<{ detail: string }>(whose).all());
      expect(plan.map(({ detail }) => detail)).to.deep.equal([
        'SEARCH roles USING INDEX roles_archive (archive=?)',
      ]);
      expect([...steps], 'the read on the viewing path').to.include(
        'SEARCH roles USING INDEX sqlite_autoindex_roles_1 (id=?)',
      );
      connection.close();
    }));
});

/** Some value for each parameter: a plan does not depend on them. */
function unbound(text: string): unknown[] {
  const named = [...text.matchAll(/@(\w+)/g)].map(([, name]) => [name, null]);
  if (named.length > 0) return [Object.fromEntries(named)];
  return [...text.matchAll(/\?/g)].map(() => null);
}
