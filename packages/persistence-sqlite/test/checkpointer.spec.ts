import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { after, days } from '@pinfold/core';
import { aReservation, START } from '@pinfold/test-contracts/fixtures';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { checkpoint } from '../src/engine/checkpoint.ts';
import { Checkpointer } from '../src/engine/checkpointer.ts';
import { inFolder, onFile } from './in-folder.ts';

/** Changes after which the log is copied. */
const ENOUGH = 500;

/** The default size of pages, in bytes. */
const PAGE = 4_096;

/** A file with pages in its log, which no other connection copies. */
async function withLog(
  pages: number,
  work: (file: string, database: Database.Database) => unknown,
): Promise<void> {
  await inFolder(async (folder) => {
    const file = join(folder, 'pinfold.sqlite');
    const database = new Database(file);
    database.pragma('journal_mode = WAL');
    database.pragma('wal_autocheckpoint = 0');
    database.exec('CREATE TABLE notes (text TEXT)');
    insertRows(database, pages);
    await work(file, database);
    database.close();
  });
}

function insertRows(database: Database.Database, pages: number): void {
  const insert = database.prepare('INSERT INTO notes VALUES (?)');
  for (let n = 0; n < pages; n += 1) insert.run('x');
}

/** The length of the log; unknown while another connection copies it. */
function logOf(database: Database.Database): number | undefined {
  const [{ busy, log }] = database.pragma('wal_checkpoint(PASSIVE)') as [{ busy: number; log: number }];
  return busy === 0 ? log : undefined;
}

/** A number in the head of the log that changes when the log starts again (SQLite's file format, 4.1). */
function saltOf(file: string): number {
  return readFileSync(`${file}-wal`).readUInt32BE(16);
}

describe('checkpoint', () => {
  it('copies the log, and writes the header of the next one, so that no request has to', () =>
    withLog(100, (file, database) => {
      checkpoint(file);
      expect(logOf(database)).to.equal(1);
      expect(database.prepare('SELECT count(*) AS count FROM notes').get()).to.deep.equal({ count: 100 });
    }));

  it('changes no data', () =>
    withLog(1, (file, database) => {
      database.pragma('user_version = 7');
      checkpoint(file);
      expect(database.pragma('user_version', { simple: true })).to.equal(7);
      expect(database.pragma('integrity_check', { simple: true })).to.equal('ok');
    }));

  it('does not restart a short log that is still read', () =>
    withLog(50, (file, database) => {
      const reader = new Database(file);
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM notes').get();
      insertRows(database, 50);
      checkpoint(file);
      expect(logOf(database)).to.be.at.least(100);
      expect(reader.prepare('SELECT count(*) AS count FROM notes').get()).to.deep.equal({ count: 50 });
      reader.close();
    }));

  it('restarts a long log as soon as no one reads the old one', () =>
    withLog(50, async (file, database) => {
      const reader = new Worker(new URL('./reading-thread.ts', import.meta.url), { workerData: file });
      await once(reader, 'message');
      insertRows(database, 50);
      let isReading = true;
      const ended = once(reader, 'exit').then(() => {
        isReading = false;
      });
      // Writers wait so briefly that the reader may not notice it on a busy machine.
      while (isReading) {
        checkpoint(file, 99 * PAGE);
        await setImmediate();
      }
      await ended;
      checkpoint(file, 99 * PAGE);
      expect(logOf(database)).to.equal(1);
    }));

  it('creates no missing file', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'pinfold.sqlite');
      expect(() => checkpoint(file)).to.throw(Database.SqliteError);
      expect(existsSync(file)).to.equal(false);
    }));
});

describe('Checkpointer', () => {
  /** A checkpointer whose thread records the requests for checkpoints. */
  async function withCheckpointer(
    work: (opened: {
      readonly checkpointer: Checkpointer;
      readonly requests: () => number;
      /** The first record of the thread. */
      readonly firstRecord: () => string | undefined;
      readonly change: (count: number) => void;
      readonly die: () => void;
    }) => Promise<void>,
  ): Promise<void> {
    await inFolder(async (folder) => {
      const file = join(folder, 'requests');
      const checkpointer = new Checkpointer(file, new URL('./checkpoint-thread-stub.ts', import.meta.url));
      await work({
        checkpointer,
        requests: () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0),
        firstRecord: () => readFileSync(file, 'utf8').split('\n')[0],
        change: (count) => {
          for (let n = 0; n < count; n += 1) checkpointer.changed();
        },
        die: () => writeFileSync(`${file}.die`, ''),
      });
      await checkpointer.close();
    });
  }

  it('starts one checkpoint after enough changes, and no other while it runs', () =>
    withCheckpointer(async ({ checkpointer, requests, change }) => {
      change(ENOUGH - 1);
      await setImmediate();
      expect(requests()).to.equal(0);
      change(1 + 3 * ENOUGH);
      await checkpointer.close();
      expect(requests()).to.equal(1);
    }));

  it('starts another checkpoint once the thread is done', () =>
    withCheckpointer(async ({ requests, change }) => {
      while (requests() < 3) {
        change(ENOUGH);
        await setImmediate();
      }
    }));

  it('has a thread that finds the packages of the process', () =>
    withCheckpointer(async ({ checkpointer, change, firstRecord }) => {
      change(ENOUGH);
      await checkpointer.close();
      expect(firstRecord()).to.equal(import.meta.resolve('@pinfold/core'));
    }));

  it('starts another thread when one has died', () =>
    withCheckpointer(async ({ requests, change, die }) => {
      die();
      while (requests() < 5) {
        change(ENOUGH);
        await setImmediate();
      }
    }));

  it('fails no change if a thread cannot be started, and closes', async () => {
    const checkpointer = new Checkpointer('unused', new URL('http://localhost/'));
    for (let n = 0; n < 2 * ENOUGH; n += 1) checkpointer.changed();
    await checkpointer.close();
  });

  it('starts nothing once it is closed, once or twice', () =>
    withCheckpointer(async ({ checkpointer, requests, change }) => {
      await Promise.all([checkpointer.close(), checkpointer.close()]);
      change(ENOUGH);
      await setImmediate();
      expect(requests()).to.equal(0);
    }));
});

describe('openSqlite, and the write-ahead log', () => {
  // Each of the changes is flushed to the disk.
  it('is copied by a thread after many changes, which ends with the database', () =>
    onFile(async (file, handle) => {
      let changes = 0;
      const change = () => handle.roles.reserve(aReservation(++changes));
      await change();
      const first = saltOf(file);
      while (changes < ENOUGH) await change();
      // No one holds the writers' lock now; a further change could take it, and the thread would postpone the copying.
      while (saltOf(file) === first) await setTimeout(1);
      const begunBefore = after(START, days(1));
      const counted = await handle.roles.countForCleanup({ now: START, endedBefore: START, begunBefore });
      expect(counted.reservations).to.equal(changes);
      await handle.close();
      expect(await readdir(dirname(file))).to.deep.equal(['pinfold.sqlite', 'pinfold.sqlite-reserve']);
    }));
});
