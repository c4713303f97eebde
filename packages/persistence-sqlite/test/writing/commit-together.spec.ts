import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isFault } from '@pinfold/core';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { DiskReserve, ReopeningFile } from '../../src/engine/reopening-file.ts';
import type { SqliteFile } from '../../src/engine/sqlite-file.ts';
import { commitTogether, type Work } from '../../src/writing/write-queue.ts';
import { inFolder } from '../in-folder.ts';
import { releasedRoom } from '../released-room.ts';

interface OpenFile {
  readonly path: string;
  readonly file: ReopeningFile;
  readonly groups: { commit(works: readonly Work[]): ReturnType<typeof commitTogether> };
  /** Everything that is stored, read by another connection. */
  readonly writtenTexts: () => readonly unknown[];
}

function withFile(
  work: (opened: OpenFile) => void,
  reserve?: Pick<DiskReserve, 'releaseDuring' | 'refill'>,
): Promise<void> {
  return inFolder(async (folder) => {
    const path = join(folder, 'pinfold.sqlite');
    const file = new ReopeningFile(path, reserve ?? new DiskReserve(path));
    file.change((opened) =>
      opened.exec(`CREATE TABLE notes (text TEXT UNIQUE);
        CREATE TABLE referring (text TEXT REFERENCES notes (text) DEFERRABLE INITIALLY DEFERRED)`),
    );
    const reader = new Database(path, { readonly: true });
    const writtenTexts = () => reader.prepare('SELECT text FROM notes ORDER BY text').pluck().all();
    work({
      path,
      file,
      groups: { commit: (works: readonly Work[]) => commitTogether(file, works) },
      writtenTexts,
    });
    reader.close();
    file.close();
  });
}

const note = ({ prepare }: SqliteFile, text: unknown): unknown =>
  prepare('INSERT INTO notes VALUES (?)').run(text);

function writing(text: string, also: (file: SqliteFile) => void = () => {}): Work {
  return {
    usesReserve: false,
    run: (file) => {
      note(file, text);
      also(file);
      return `noted ${text}`;
    },
  };
}

/** The number of commits, in the head of the memory that connections share (SQLite's file format, `WalIndexHdr`). */
function commitsOf(path: string): number {
  const [descriptor, head] = [openSync(`${path}-shm`, 'r'), Buffer.alloc(12)];
  readSync(descriptor, head, 0, 12, 0);
  closeSync(descriptor);
  return head.readUInt32LE(8);
}

describe('commitTogether', () => {
  it('commits the changes of several programs once, and returns each result', () =>
    withFile(({ path, groups, writtenTexts }) => {
      const before = commitsOf(path);
      const outcomes = groups.commit([writing('a'), writing('b'), writing('c')]);
      expect(outcomes).to.deep.equal([{ result: 'noted a' }, { result: 'noted b' }, { result: 'noted c' }]);
      expect(writtenTexts()).to.deep.equal(['a', 'b', 'c']);
      expect(commitsOf(path)).to.equal(before + 1);
    }));

  it('runs them one after the other: each sees what those before it wrote', () =>
    withFile(({ groups }) => {
      const counting = (text: string): Work => ({
        usesReserve: false,
        run: (file) => {
          note(file, text);
          return file.prepare('SELECT count(*) AS count FROM notes').get();
        },
      });
      expect(groups.commit([counting('a'), counting('b')])).to.deep.equal([
        { result: { count: 1 } },
        { result: { count: 2 } },
      ]);
    }));

  it('undoes one that throws, or whose statement fails, and keeps the others', () =>
    withFile(({ groups, writtenTexts }) => {
      const mistake = new RangeError('ours');
      const [a, thrown, b, failed, c] = groups.commit([
        writing('a'),
        writing('thrown', () => {
          throw mistake;
        }),
        writing('b'),
        writing('failed', (file) => note(file, 'a')),
        writing('c'),
      ]);
      expect([a, thrown, b, c]).to.deep.equal([
        { result: 'noted a' },
        { error: mistake },
        { result: 'noted b' },
        { result: 'noted c' },
      ]);
      expect(failed).to.have.nested.property('error.code', 'SQLITE_CONSTRAINT_UNIQUE');
      expect(writtenTexts()).to.deep.equal(['a', 'b', 'c']);
    }));

  it('returns the error of a failed commit for all, changes nothing, and continues', () =>
    withFile(({ groups, writtenTexts }) => {
      const breaking = writing('a', ({ prepare }) =>
        prepare("INSERT INTO referring VALUES ('nothing')").run(),
      );
      const outcomes = groups.commit([writing('b'), breaking, writing('c')]);
      for (const outcome of outcomes)
        expect(outcome).to.have.nested.property('error.code', 'SQLITE_CONSTRAINT_FOREIGNKEY');
      expect(writtenTexts()).to.deep.equal([]);
      groups.commit([writing('d'), writing('e')]);
      expect(writtenTexts()).to.deep.equal(['d', 'e']);
    }));

  it('does nothing while another connection holds the lock, whether there is one program or several', () =>
    withFile(({ path, groups, writtenTexts }) => {
      const other = new Database(path);
      other.exec('BEGIN IMMEDIATE');
      let runs = 0;
      const counting: Work = { usesReserve: false, run: () => (runs += 1) };
      expect(groups.commit([counting])).to.deep.equal([undefined]);
      expect(groups.commit([counting, counting])).to.deep.equal([undefined, undefined]);
      expect(runs).to.equal(0);
      other.close();
      groups.commit([writing('a'), writing('b')]);
      expect(writtenTexts()).to.deep.equal(['a', 'b']);
    }));
});

describe('commitTogether, on a full disk', () => {
  const LARGE = 100_000;
  /** Writes more than fits unless the reserve is released. */
  const large = (usesReserve: boolean): Work => ({
    usesReserve,
    run: (file) => note(file, 'x'.repeat(LARGE)),
  });

  /** A database that gets no more pages unless its reserve is released. */
  function whenFull(work: (opened: OpenFile, released: () => number) => void): Promise<void> {
    let setRoom = (_: number): void => {};
    const { reserve, released } = releasedRoom((pages) => setRoom(pages));
    return withFile((opened) => {
      setRoom = (pages) =>
        opened.file.attempt(({ prepare }) => prepare(`PRAGMA max_page_count = ${pages}`).get());
      setRoom(1);
      work(opened, released);
    }, reserve);
  }

  it('stores programs that have room, and refuses only the others', () =>
    whenFull(({ groups, writtenTexts }, released) => {
      const [a, refused, b] = groups.commit([writing('a'), large(false), writing('b')]);
      expect([a, b]).to.deep.equal([{ result: 'noted a' }, { result: 'noted b' }]);
      const error = refused !== undefined && 'error' in refused ? refused.error : undefined;
      expect(isFault(error) && error.code).to.equal('store_unavailable');
      expect(writtenTexts()).to.deep.equal(['a', 'b']);
      expect(released()).to.equal(0);
    }));

  it('releases the reserve for the program that may use it, and for no other', () =>
    whenFull(({ groups, writtenTexts }, released) => {
      const [a, stored] = groups.commit([writing('a'), large(true)]);
      expect(a).to.deep.equal({ result: 'noted a' });
      expect(stored).to.have.property('result');
      expect(writtenTexts()).to.have.lengthOf(2);
      expect(released()).to.equal(1);
    }));
});
