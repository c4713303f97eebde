import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import { isFault } from '@pinfold/core';
import { StepError } from '@pinfold/core/records';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { faultOf } from '@pinfold/test-contracts/internal';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { SqliteDatabase } from '../../src/database/sqlite-database.ts';
import { SqliteConnection } from '../../src/engine/sqlite-connection.ts';
import type { ThreadedWriter } from '../../src/writing/threaded-writer.ts';
import { inFolder } from '../in-folder.ts';
import { newWriter, runInThread, untilReady } from './start-writer.ts';
import { DIE, NOTE, NOTED, REFUSE, THREAD_SCHEMA, WHERE } from './thread-programs.ts';

interface OpenDatabase {
  readonly file: string;
  readonly writer: ThreadedWriter;
  readonly database: SqliteDatabase;
  readonly writtenTexts: () => Promise<readonly string[]>;
  /** How often something may have changed. */
  readonly changes: () => number;
}

/** A database whose programs run in a thread, which has started. */
function withDatabase(work: (opened: OpenDatabase) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    const file = join(folder, 'pinfold.sqlite');
    let changes = 0;
    const writer = newWriter(file, () => {
      changes += 1;
    });
    const connection = new SqliteConnection(file, () => setImmediate());
    const database = new SqliteDatabase(connection, THREAD_SCHEMA, { writer });
    await database.migrate();
    await untilReady(writer);
    changes = 0;
    const writtenTexts = () => database.read(NOTED, undefined);
    await work({ file, writer, database, writtenTexts, changes: () => changes });
    await database.close();
  });
}

function holdLock(file: string): Database.Database {
  const holder = new Database(file, { timeout: 0 });
  holder.exec('BEGIN IMMEDIATE');
  return holder;
}

const TEXTS = Array.from({ length: 20 }, (_, n) => `text ${String(n).padStart(2, '0')}`);

describe('A writer with a thread', () => {
  it('runs programs there, and reports each that may have changed something', () =>
    withDatabase(async ({ database, writtenTexts, changes }) => {
      expect(await database.write(WHERE, undefined)).to.not.equal(threadId);
      expect(await Promise.all(TEXTS.map((text) => database.write(NOTE, text)))).to.deep.equal(TEXTS);
      expect(await writtenTexts()).to.deep.equal(TEXTS);
      expect(changes()).to.equal(1 + TEXTS.length);
    }));

  it('leaves programs to its caller before the thread is ready, and unknown ones', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'pinfold.sqlite');
      new Database(file).close();
      const writer = newWriter(file);
      expect(writer.write(WHERE, undefined)).to.equal(undefined);
      await untilReady(writer);
      expect(writer.write({ ...WHERE }, undefined)).to.equal(undefined);
      await writer.close();
      expect(writer.write(WHERE, undefined)).to.equal(undefined);
    }));

  it('rejects with the fault of a program and its step, while others are stored', () =>
    withDatabase(async ({ database, writtenTexts, changes }) => {
      const [a, refused, taken, b] = await Promise.allSettled([
        database.write(NOTE, 'a'),
        database.write(REFUSE, 'refused'),
        database.write(NOTE, 'a'),
        database.write(NOTE, 'b'),
      ]);
      expect([a.status, b.status]).to.deep.equal(['fulfilled', 'fulfilled']);
      const [fault, step] = [refused, taken].map((one) =>
        one.status === 'rejected' ? one.reason : undefined,
      );
      expect(isFault(fault) && fault.code).to.equal('archive_missing');
      expect(step).to.be.instanceOf(StepError).and.include({ program: 'test.note', table: 'notes' });
      expect(step).to.have.nested.property('cause.name', 'SqliteError');
      expect(await writtenTexts()).to.deep.equal(['a', 'b']);
      expect(changes()).to.equal(2);
    }));

  it('allows reads while another process holds the lock, and writes afterwards', () =>
    withDatabase(async ({ file, database, writtenTexts }) => {
      await database.write(NOTE, 'before');
      const holder = holdLock(file);
      const writing = TEXTS.map((text) => database.write(NOTE, text));
      for (let n = 0; n < 50; n += 1) {
        expect(await writtenTexts()).to.deep.equal(['before']);
        await setImmediate();
      }
      holder.close();
      await Promise.all(writing);
      expect(await writtenTexts()).to.deep.equal(['before', ...TEXTS]);
    }));

  it('refuses programs beyond its queue, and stores the others', () =>
    withDatabase(async ({ file, database, writtenTexts }) => {
      const holder = holdLock(file);
      const texts = Array.from({ length: 2_048 }, (_, n) => `text ${n}`);
      const writing = Promise.all(texts.map((text) => database.write(NOTE, text)));
      expect((await faultOf(database.write(NOTE, 'one more'))).code).to.equal('store_unavailable');
      holder.close();
      await writing;
      expect(await writtenTexts()).to.deep.equal(texts.toSorted());
    }));
});

describe('A process with such a writer', () => {
  for (const [condition, text, answer] of [
    ['after every change is answered', ['a'], 'answered a\n'],
    ['even if nothing was changed', [], ''],
  ] as const)
    it(`ends by itself when nothing else runs, ${condition}`, () =>
      inFolder(async (folder) => {
        const { stdout, status } = spawnSync(
          process.execPath,
          [
            ...['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning'],
            ...[join(import.meta.dirname, 'not-closed.ts'), join(folder, 'pinfold.sqlite'), ...text],
          ],
          { encoding: 'utf8', timeout: 120_000 },
        );
        expect({ stdout, status }).to.deep.equal({ stdout: answer, status: 0 });
      }));
});

describe('A writer whose thread dies', () => {
  it('rejects waiting programs, whose outcome is unknown, and runs later ones in another thread', () =>
    withDatabase(async ({ file, writer, database, writtenTexts }) => {
      await database.write(NOTE, 'before');
      const waiting = [
        ...TEXTS.slice(0, 10).map((text) => database.write(NOTE, text)),
        database.write(DIE, 'dead'),
        ...TEXTS.slice(10).map((text) => database.write(NOTE, text)),
      ];
      const outcomes = await Promise.allSettled(waiting);
      const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(lost).to.not.have.lengthOf(0);
      for (const { reason } of lost) expect(isFault(reason) && reason.code).to.equal('store_unavailable');
      const answered = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(await writtenTexts())
        .to.include.members(['before', ...answered])
        .and.not.include('dead');
      const first = await runInThread(writer, WHERE, undefined);
      expect(await database.write(WHERE, undefined)).to.equal(first);
      await database.write(NOTE, 'after');
      expect(await writtenTexts()).to.include('after');
      const other = new Database(file, { readonly: true });
      expect(other.pragma('integrity_check', { simple: true })).to.equal('ok');
      other.close();
    }));

  it('writes in the event loop until there is another one', () =>
    withDatabase(async ({ database, writtenTexts }) => {
      await rejectionOf(database.write(DIE, 'dead'));
      expect(await database.write(WHERE, undefined)).to.equal(threadId);
      await database.write(NOTE, 'a');
      expect(await writtenTexts()).to.deep.equal(['a']);
    }));

  it('works without a thread that cannot be loaded, as in a bundle of one file', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'pinfold.sqlite');
      const writer = newWriter(file, () => {}, { entry: new URL('./absent.ts', import.meta.url) });
      const connection = new SqliteConnection(file, () => setImmediate());
      const database = new SqliteDatabase(connection, THREAD_SCHEMA, { writer });
      await database.migrate();
      for (const text of TEXTS) expect(await database.write(NOTE, text)).to.equal(text);
      expect(await database.write(WHERE, undefined)).to.equal(threadId);
      await database.close();
    }));
});

describe('A writer that is closed', () => {
  it('answers waiting programs before its thread ends', () =>
    withDatabase(async ({ file, database, writtenTexts }) => {
      const holder = holdLock(file);
      const writing = Promise.all(TEXTS.map((text) => database.write(NOTE, text)));
      const closing = database.close();
      holder.close();
      expect(await writing).to.deep.equal(TEXTS);
      await closing;
      expect((await faultOf(writtenTexts())).code).to.equal('store_unavailable');
      expect((await faultOf(database.write(NOTE, 'late'))).code).to.equal('store_unavailable');
      const later = new Database(file, { readonly: true });
      expect(later.prepare('SELECT count(*) FROM notes').pluck().get()).to.equal(TEXTS.length);
      later.close();
    }));

  it('ends a thread that has not started yet', () =>
    inFolder(async (folder) => {
      const writer = newWriter(join(folder, 'pinfold.sqlite'));
      await setImmediate();
      await Promise.all([writer.close(), writer.close()]);
      expect(writer.write(WHERE, undefined)).to.equal(undefined);
    }));
});
