import { join } from 'node:path';
import { ACCOUNT, START } from '@pinfold/test-contracts/fixtures';
import { useEveryStore } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { Change } from '../src/engine/lasting-file.ts';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import type { Prepare, SqliteFile } from '../src/engine/sqlite-file.ts';
import { inFolder } from './in-folder.ts';
import { storesOver } from './stores-over.ts';

/** Steps that read rows in no order of an index, and why each may. */
const ALLOWED = new Map([
  ['SCAN scanned', 'at most 2,000 roles found by an index'],
  ['SCAN json_each VIRTUAL TABLE INDEX 1:', 'the values of a list'],
  ['SCAN schema_state', 'a table of one row'],
  ['USE TEMP B-TREE FOR ORDER BY', 'the events of one publication in a feed'],
  ['USE TEMP B-TREE FOR DISTINCT', 'the publications that had an event within 20 minutes, for the sweep'],
]);

/** A statement that takes the first rows in the order of an index or of the table, whatever is in them. */
const PAGE = /WHERE (?:1 = 1|t0\."sequence" IS NOT NULL)(?: ORDER BY [^()]+)? LIMIT/;

const INDEXES = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name";

/** Indexes that no statement here needs, and what for they are there. */
const UNUSED = new Map([
  ['events_feed', 'databases in which programs run side by side: it is empty here'],
  ['roles_stored', 'the archives that are stored'],
]);

/** Notes the text of every statement on its way to the connection. */
class NotingConnection extends SqliteConnection {
  readonly texts: Set<string> = new Set();

  override read<Result>(work: (file: SqliteFile) => Result, signal?: AbortSignal): Promise<Result> {
    return super.read((file) => work(this.#notingFile(file)), signal);
  }

  override readAtOnce<Result>(work: (file: SqliteFile) => Result): Promise<Result> | Result {
    return super.readAtOnce((file) => work(this.#notingFile(file)));
  }

  override write<Result>(work: Change<Result>, usesReserve?: boolean): Promise<Result> {
    return super.write((prepare, exec) => work(this.#noting(prepare), exec), usesReserve);
  }

  #notingFile(file: SqliteFile): SqliteFile {
    return {
      ...file,
      prepare: this.#noting(file.prepare),
      cached: (sql, key, make) => {
        this.texts.add(sql);
        return file.cached(sql, key, make);
      },
      transaction: (begin, work) => file.transaction(begin, (prepare) => work(this.#noting(prepare))),
    };
  }

  #noting(prepare: Prepare): Prepare {
    return (sql) => {
      this.texts.add(sql);
      return prepare(sql);
    };
  }
}

describe('Every statement of a request', () => {
  it('finds its rows by an index, and sorts none', () =>
    inFolder(async (folder) => {
      const connection = new NotingConnection(join(folder, 'pinfold.sqlite'), async () => {});
      const stores = storesOver(connection);
      await stores.migrate();
      const { texts } = connection;
      texts.clear();
      await useEveryStore(stores);
      await stores.roles.countForCleanup({ now: START, endedBefore: START, begunBefore: START });
      await stores.attempts.countEnded(START);
      await stores.accounts.usedBy(ACCOUNT, START);
      expect(texts.size).to.be.greaterThan(40);
      const steps = new Set<string>();
      for (const text of [...texts]) {
        const plan = await connection.read(({ prepare }) =>
          prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`).all(...unbound(text)),
        );
        for (const { detail } of plan) {
          steps.add(detail);
          const isPage = detail.startsWith('SCAN t0') && PAGE.test(text);
          const slow =
            /^(?:SCAN|USE TEMP B-TREE|MATERIALIZE)/.test(detail) && !isPage && !ALLOWED.has(detail);
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

/** Some value for each parameter: a plan does not depend on them. */
function unbound(text: string): unknown[] {
  return [...text.matchAll(/\?/g)].map(() => null);
}
