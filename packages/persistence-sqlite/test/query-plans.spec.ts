import { join } from 'node:path';
import { ACCOUNT, START } from '@pinfold/test-contracts/fixtures';
import { useEveryStore } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import { inFolder } from './in-folder.ts';
import { connections } from './preloaded/better-sqlite3.ts';
import { storesOver } from './stores-over.ts';

/** Steps that read rows without the order of an index, and why each may. */
const ALLOWED = new Map([
  ['SCAN scanned', 'at most 2,000 roles found by an index'],
  ['SCAN json_each VIRTUAL TABLE INDEX 1:', 'the values of a list'],
  ['SCAN schema_state', 'a table of one row'],
  ['USE TEMP B-TREE FOR DISTINCT', 'the publications that had an event within a minute, for the sweep'],
]);

/** A statement that reads the first rows in the order of an index or of the table, whatever their values. */
const PAGE = /WHERE (?:1 = 1|t0\."sequence" IS NOT NULL)(?: ORDER BY [^()]+)? LIMIT/;

/** Sorts few rows: the events of one publication for the operator's feed, and the sessions of one account. */
const SORTED = /"pin" = .* ORDER BY t0\."sequence" ASC|FROM "sessions" .* ORDER BY t0\."token_hash" ASC/;

const INDEXES = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name";

/** Indexes that no statement here needs, and their purpose. */
const UNUSED = new Map([
  ['events_feed', 'databases in which programs run side by side: it is empty here'],
  ['roles_stored', 'the archives that are stored'],
]);

/** The texts of the statements that some calls prepare. */
async function preparedFor(work: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  const texts = new Set<string>();
  const { prepare } = connections;
  connections.prepare = function (sql) {
    texts.add(sql);
    return prepare.call(this, sql);
  };
  try {
    await work();
  } finally {
    connections.prepare = prepare;
  }
  return texts;
}

describe('Every statement of a request', () => {
  it('finds its rows by an index, and sorts none', () =>
    inFolder(async (folder) => {
      const connection = new SqliteConnection(join(folder, 'pinfold.sqlite'), async () => {});
      const stores = storesOver(connection);
      await stores.migrate();
      const texts = await preparedFor(async () => {
        await useEveryStore(stores);
        await stores.roles.countForCleanup({ now: START, endedBefore: START, begunBefore: START });
        await stores.attempts.countEnded(START);
        await stores.accounts.usedBy(ACCOUNT, START);
      });
      expect(texts.size).to.be.greaterThan(40);
      const steps = new Set<string>();
      for (const text of texts) {
        const plan = await connection.read(({ prepare }) =>
          prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`).all(...nullsFor(text)),
        );
        for (const { detail } of plan) {
          steps.add(detail);
          const isPage = detail.startsWith('SCAN t0') && PAGE.test(text);
          // An erasure would read again and again the roles whose archive it has removed.
          const isEachDeleted = detail.includes('INDEX roles_deleted') && text.includes('"has_archive" = 1');
          const isSorted = detail === 'USE TEMP B-TREE FOR ORDER BY' && SORTED.test(text);
          const isAllowed = isPage || isSorted || ALLOWED.has(detail);
          const slow = (/^(?:SCAN|USE TEMP B-TREE|MATERIALIZE)/.test(detail) && !isAllowed) || isEachDeleted;
          expect(slow ? detail : '', text).to.equal('');
        }
      }
      expect([...steps], 'the read on the viewing path').to.include(
        'SEARCH t0 USING INDEX sqlite_autoindex_roles_1 (id=?)',
      );
      const used = new Set([...steps].map((step) => / INDEX (\w+)/.exec(step)?.[1]));
      const declared = await connection.read(({ prepare }) => prepare<{ name: string }>(INDEXES).all());
      expect(declared.map(({ name }) => name).filter((name) => !used.has(name))).to.have.members([
        ...UNUSED.keys(),
      ]);
      connection.close();
    }));
});

/** A value for each parameter: a plan does not depend on them. */
function nullsFor(text: string): unknown[] {
  return [...text.matchAll(/\?/g)].map(() => null);
}
