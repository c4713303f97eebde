import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eraseMarked, MARKED_SCHEMA, markAccount, shownOf } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { SqliteDatabase } from '../src/database/sqlite-database.ts';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import { inFolder } from './in-folder.ts';

/** Those of the texts that a file of the folder contains. */
async function foundIn(folder: string, texts: readonly string[]): Promise<readonly string[]> {
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
  return texts.filter((text) => files.some((bytes) => bytes.includes(text)));
}

describe('An erased account in SQLite', () => {
  it('leaves no text in any file, nor in an export or the history', () =>
    inFolder(async (folder) => {
      const connection = new SqliteConnection(join(folder, 'pinfold.sqlite'), async () => {});
      const database = new SqliteDatabase(connection, MARKED_SCHEMA);
      await database.migrate();
      const run = (sql: string) => connection.read(({ prepare }) => void prepare(sql).all());
      const { account, marks } = await markAccount(database);
      await run('PRAGMA wal_checkpoint(TRUNCATE)');
      expect(await foundIn(folder, marks), 'before').to.deep.equal(marks);
      await eraseMarked(database, account);
      await run('PRAGMA wal_checkpoint(TRUNCATE)');
      expect(await foundIn(folder, marks)).to.deep.equal([]);
      const shown = await shownOf(database);
      expect(marks.filter((text) => shown.includes(text))).to.deep.equal([]);
      connection.close();
    }));
});
