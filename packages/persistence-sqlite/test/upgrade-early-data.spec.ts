import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RoleId } from '@pinfold/core';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openSqlite } from '../src/index.ts';
import { inFolder } from './in-folder.ts';

const SCRIPT = join(import.meta.dirname, '../../../scripts/upgrade-early-data.ts');
const upgrade = (file: string) => promisify(execFile)(process.execPath, [SCRIPT, 'sqlite', file]);

/** What a schema allows; an upgraded one has its columns in another order, some with a default. */
function schemaOf(file: string): unknown {
  const database = new Database(file, { readonly: true });
  try {
    return {
      columns: database
        .prepare(`
          SELECT tables.name AS of, columns.name, columns.type, "notnull", pk, hidden
          FROM sqlite_schema AS tables, pragma_table_xinfo(tables.name) AS columns
          WHERE tables.type = 'table' ORDER BY 1, 2`)
        .all(),
      indexes: database
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name")
        .all()
        .map((index) => JSON.stringify(index).replace(/(?:\\n|\s)+/g, ' ')),
      state: database.prepare('SELECT * FROM schema_state').all(),
    };
  } finally {
    database.close();
  }
}

describe('The upgrade of an early SQLite database', () => {
  it('makes it what a new one is, keeps what is stored, and does nothing when repeated', () =>
    inFolder(async (folder) => {
      const [early, fresh] = [join(folder, 'early.sqlite'), join(folder, 'fresh.sqlite')];
      new Database(early)
        .exec(await readFile(join(import.meta.dirname, 'early-database.sql'), 'utf8'))
        .close();
      const stores = await openSqlite({ file: early });
      expect(await rejectionOf(stores.migrate()), 'before the upgrade').to.have.property(
        'code',
        'store_unavailable',
      );
      await upgrade(early);
      await upgrade(early);
      await stores.migrate();
      await stores.check();
      const made = await openSqlite({ file: fresh });
      await made.migrate();
      expect(schemaOf(early)).to.deep.equal(schemaOf(fresh));
      const pin = 'xvqxr5rbq7kxlevn' as RoleId;
      const role = (await stores.roles.load(pin))?.value;
      expect(role).to.include({ account: 'acme', archiveBytes: 141, title: 'Plan' });
      const range = { account: undefined, since: undefined, after: undefined, limit: 1 };
      const { items } = await stores.history.list({ pin, ...range });
      expect(items[0]).to.include({ id: 'e1', recordedAt: 1_750_000_000_000 });
      await Promise.all([stores.close(), made.close()]);
    }));
});
