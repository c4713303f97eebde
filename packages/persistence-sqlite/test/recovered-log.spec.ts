import { spawnSync } from 'node:child_process';
import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { checkpoint } from '../src/engine/checkpoint.ts';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import { inFolder } from './in-folder.ts';

const LONG_AGO = new Date(2020, 0, 1);

/** Leaves a database with a log, as a killed process does. */
function leaveLog(file: string): void {
  const { signal } = spawnSync(process.execPath, [
    ...['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning'],
    ...[join(import.meta.dirname, 'killed-writer.ts'), file],
  ]);
  expect(signal).to.equal('SIGKILL');
  utimesSync(`${file}-wal`, LONG_AGO, LONG_AGO);
}

function wasWritten(file: string): boolean {
  return statSync(`${file}-wal`).mtimeMs > LONG_AGO.getTime();
}

/** Works with the log of a killed process. */
function withLog(work: (file: string) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    const file = join(folder, 'pinfold.sqlite');
    leaveLog(file);
    await work(file);
  });
}

describe('A log that was recovered', () => {
  it('is rewritten before it is read, with all commits', () =>
    withLog(async (file) => {
      const connection = new SqliteConnection(file, async () => {});
      const rows = await connection.read(({ prepare }) => {
        expect(wasWritten(file)).to.equal(true);
        return prepare('SELECT * FROM notes').all();
      });
      expect(rows).to.deep.equal([{ text: 'noted' }]);
      connection.close();
    }));

  it('is rewritten before a second connection reads it', () =>
    withLog(async (file) => {
      const connection = new SqliteConnection(file, async () => {});
      const reading = await connection.readTransaction();
      expect(wasWritten(file)).to.equal(true);
      reading.close();
      connection.close();
    }));

  it('is rewritten by every process until one has committed, and never after that', () =>
    withLog(async (file) => {
      const [first, second, third] = [1, 2, 3].map(() => new SqliteConnection(file, async () => {}));
      const read = (connection = first) => connection?.read(({ prepare }) => prepare('SELECT 1').get());
      await read(first);
      utimesSync(`${file}-wal`, LONG_AGO, LONG_AGO);
      await read(second);
      expect(wasWritten(file), 'by the second').to.equal(true);
      await second?.write(({ prepare }) => prepare("INSERT INTO notes VALUES ('more')").run());
      utimesSync(`${file}-wal`, LONG_AGO, LONG_AGO);
      await read(third);
      expect(wasWritten(file), 'by the third').to.equal(false);
      for (const connection of [first, second, third]) connection?.close();
    }));

  it('is waited for while another process writes', () =>
    withLog(async (file) => {
      const writer = new Database(file);
      writer.exec('BEGIN IMMEDIATE');
      let waits = 0;
      const connection = new SqliteConnection(file, async () => {
        waits += 1;
        if (waits === 3) writer.exec('ROLLBACK');
        await setTimeout(1);
      });
      await connection.read(({ prepare }) => prepare('SELECT 1').get());
      expect(waits).to.equal(3);
      expect(wasWritten(file)).to.equal(true);
      connection.close();
      writer.close();
    }));

  it('is not copied into the file before it is rewritten', () =>
    withLog(async (file) => {
      const reader = new Database(file, { readonly: true });
      reader.prepare('SELECT * FROM notes').all();
      const { mtimeMs } = statSync(file);
      checkpoint(file);
      expect(statSync(file).mtimeMs).to.equal(mtimeMs);
      reader.close();
    }));
});
