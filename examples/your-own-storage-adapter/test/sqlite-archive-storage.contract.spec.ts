import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { describeArchiveStorage } from '@pinfold/test-contracts/mocha';
import { openSqliteArchives, SqliteArchiveStorage } from '../src/sqlite-archive-storage.ts';

const create = async () => {
  const staged = await createStagedArchives();
  const opened: DatabaseSync[] = [];
  const open = async (): Promise<SqliteArchiveStorage> => {
    const database = openSqliteArchives(join(staged.folder, 'archives.sqlite'));
    // Thousands of puts, and no power cut.
    database.exec('PRAGMA synchronous = OFF');
    opened.push(database);
    return new SqliteArchiveStorage(database);
  };
  return {
    port: await open(),
    peer: open,
    stage: staged.stage,
    // The table contains only archives.
    strew: async () => {},
    unreachable: async () => {
      const closed = openSqliteArchives(':memory:');
      closed.close();
      return new SqliteArchiveStorage(closed);
    },
    dispose: async () => {
      for (const database of opened) database.close();
      await staged.dispose();
    },
  };
};

describeArchiveStorage({ name: 'SqliteArchiveStorage', create, runs: 8 });
