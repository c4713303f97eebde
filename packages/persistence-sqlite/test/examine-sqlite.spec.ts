import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFault } from '@pinfold/core';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { examineSqlite } from '../src/examine-sqlite.ts';
import { openSqlite } from '../src/index.ts';
import { inFolder } from './in-folder.ts';

describe('examining a SQLite file', () => {
  it('returns any version of the schema, and changes nothing', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'pinfold.sqlite');
      const { close, migrate } = await openSqlite({ file });
      const { newest, release, ...bare } = examineSqlite(file);
      expect(release).to.match(/^3\./);
      expect(bare).to.deep.equal({});
      await migrate();
      await close();
      expect(examineSqlite(file)).to.deep.equal({ newest, release, version: newest });
      const database = new Database(file);
      database.exec("UPDATE schema_state SET version = 99, oldest_version = 99, oldest_release = '9.0.0'");
      database.close();
      expect(examineSqlite(file)).to.deep.equal({
        newest,
        release,
        version: 99,
        outdated: 'the database needs release 9.0.0 or a newer one',
      });
    });
  });

  it('reports damage and a file that is not a database, and creates no file', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'pinfold.sqlite');
      const { close, migrate } = await openSqlite({ file });
      await migrate();
      await close();
      truncateSync(file, 8_192);
      const code = async (path: string): Promise<string> => {
        const error = await rejectionOf(Promise.resolve().then(() => examineSqlite(path)));
        return isFault(error) ? error.code : String(error);
      };
      expect(await code(file)).to.equal('store_corrupt');
      writeFileSync(file, 'no database at all, but long enough to have a head: '.repeat(200));
      expect(await code(file)).to.equal('store_corrupt');
      expect(await code(join(folder, 'missing.sqlite'))).to.equal('store_unavailable');
    });
  });
});
