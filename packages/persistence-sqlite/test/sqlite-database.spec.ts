import { join } from 'node:path';
import {
  type AnyTable,
  contains,
  defineLookup,
  defineProgram,
  find,
  get,
  gt,
  max,
  notNull,
  oneOf,
  remove,
  type ScanAction,
  StepError,
  scan,
  TABLES,
} from '@pinfold/core/records';
import { migrationsTo, SqlCompiler } from '@pinfold/core/sql';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { SqliteDatabase } from '../src/database/sqlite-database.ts';
import { SQLITE } from '../src/database/sqlite-steps.ts';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import { inFolder } from './in-folder.ts';

function tableNamed(name: string): AnyTable {
  return TABLES.find((table) => table.name === name) as AnyTable;
}

function open(file: string): SqliteDatabase {
  const connection = new SqliteConnection(file, async () => {});
  return new SqliteDatabase(connection, { tables: TABLES });
}

/** The plan of a statement for Pinfold's tables, which are empty. */
function planOf(text: string, values: readonly unknown[]): string {
  const database = new Database(':memory:');
  try {
    for (const { sql } of migrationsTo(TABLES, SQLITE)) database.exec(sql.join(';'));
    const rows = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as readonly {
      detail: string;
    }[];
    return rows.map(({ detail }) => detail).join('\n');
  } finally {
    database.close();
  }
}

describe('the database in a SQLite file', () => {
  it('has every declared table and index', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'pinfold.sqlite');
      const opened = open(file);
      await opened.migrate();
      const reader = new Database(file, { readonly: true });
      const names = (type: string) =>
        reader.prepare('SELECT name FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL').pluck().all(type);
      expect(names('table')).to.include.members(TABLES.map(({ name }) => name));
      // The index of a sequence is the table itself.
      const declared = TABLES.flatMap(({ name, indexes }) => indexes.map((index) => `${name}_${index.name}`));
      expect(names('index')).to.have.members(declared.filter((name) => name !== 'events_unnumbered'));
      reader.close();
      await opened.close();
    }));

  it('answers a cached lookup without a promise', () =>
    inFolder(async (folder) => {
      const opened = open(join(folder, 'pinfold.sqlite'));
      await opened.migrate();
      const lookup = defineLookup('test.role', {
        table: tableNamed('roles'),
        by: 'id' as never,
        select: ['id' as never],
        references: {},
        make: () => 'found',
      });
      expect(opened.peek(lookup, 'none')).to.equal(undefined);
      await opened.close();
    }));

  it('names the step that SQLite refused, with its error', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'pinfold.sqlite');
      const opened = open(file);
      await opened.migrate();
      const other = new Database(file);
      other.exec('DROP TABLE views');
      other.close();
      const drop = defineProgram('test.drop', {
        run: () => remove(tableNamed('views'), { role: 'x', day: 1 } as never),
      });
      const error = await opened.write(drop, undefined).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(StepError);
      expect((error as Error).message).to.equal('test.drop: remove in views (role, day) failed');
      expect((error as { cause: Error }).cause.message).to.include('no such table');
      expect((error as Error).stack).to.include('step.ts');
      await opened.close();
    }));
});

describe('the statements for SQLite', () => {
  const compiler = new SqlCompiler(SQLITE);
  const roles = tableNamed('roles');

  it('search only the index of a list, and read only matching roles', () => {
    const filter = { either: [{ expiresAt: null }, { expiresAt: notNull }] };
    const range = {
      order: ['publishedAt', 'id'],
      descending: true,
      limit: 51,
      maxScanned: 2_000,
      mayScanMore: true,
    };
    const where = { account: 'a', deletedAt: null };
    const action = scan(roles, where as object, filter as object, range as never).action as ScanAction;
    const plans = compiler.scanPlansOf(action);
    const walk = planOf(plans.rows.text, plans.rows.values(action));
    expect(walk).to.include('t0 USING COVERING INDEX roles_listed (account=?)');
    expect(walk).to.not.include('TEMP B-TREE').and.not.include('SCAN t');
    const end = planOf(plans.end.text, plans.end.values(action));
    expect(end).to.include('USING COVERING INDEX roles_listed');
  });

  it('find the greatest number of a feed in its index', () => {
    const { action } = max(
      tableNamed('events'),
      { account: 'a', accountFeedNumber: notNull } as object,
      'accountFeedNumber' as never,
    );
    const plan = compiler.planOf(action as never);
    expect(planOf(plan?.text ?? '', plan?.values(action) ?? [])).to.include(
      'COVERING INDEX events_account_feed',
    );
  });

  it('have no parameter whose value would make SQLite plan them again', () => {
    const where = { account: 'a', archiveBytes: gt(1), titleFolded: contains('b'), id: oneOf(['c']) };
    const range = { order: ['publishedAt'], after: { publishedAt: 1 }, limit: 1, offset: 1 };
    const plan = compiler.planOf(find(roles, where as never, range as never).action as never);
    expect(plan?.text.match(/\?/g)).to.have.length(7);
    expect(plan?.text).to.not.match(/[^+]\?|LIMIT \+\?(?! \+ 0)/);
  });

  it('are written once for each shape', () => {
    const textOf = (where: object) => compiler.planOf(find(roles, where as never).action as never);
    expect(textOf({ account: 'a', deletedAt: null })).to.equal(textOf({ account: 'b', deletedAt: null }));
    expect(textOf({ account: 'a', deletedAt: 1 })).to.not.equal(textOf({ account: 'a', deletedAt: null }));
    expect(textOf({ pinned: true })).to.not.equal(textOf({ pinned: false }));
    const get1 = compiler.planOf(get(roles, { id: '1' } as never).action as never);
    expect(get1).to.equal(compiler.planOf(get(roles, { id: '2' } as never).action as never));
  });
});
