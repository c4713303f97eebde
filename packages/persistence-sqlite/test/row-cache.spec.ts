import { copyFileSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { CommitWatch, RowCache } from '../src/engine/commit-watch.ts';
import { SqliteFile } from '../src/engine/sqlite-file.ts';
import { stress } from './commits/stress.ts';
import { inFolder } from './in-folder.ts';

const itself = (row: unknown): unknown => row;

describe('RowCache', () => {
  it('reads a missing row again, every row after a change, and a row that was read during a change', async () => {
    let changes = 0;
    let seen = 0;
    const rows = new Map([['a', { value: 1 }]]);
    const readKeys: string[] = [];
    let during = (): void => {};
    const takeChange = (): boolean => {
      const changed = changes > seen;
      seen = changes;
      return changed;
    };
    const cache = new RowCache({ takeChange }, (key) => {
      readKeys.push(key);
      during();
      return rows.get(key);
    });
    expect([cache.get('a'), cache.get('a'), cache.get('b'), cache.get('b')]).to.deep.equal([
      { value: 1 },
      { value: 1 },
      undefined,
      undefined,
    ]);
    expect(readKeys.splice(0)).to.deep.equal(['a', 'b', 'b']);
    await undefined;
    rows.set('a', { value: 2 });
    changes += 1;
    during = () => {
      changes += 1;
    };
    expect(cache.get('a')).to.deep.equal({ value: 2 });
    during = () => {};
    expect([cache.get('a'), cache.get('a')]).to.deep.equal([{ value: 2 }, { value: 2 }]);
    expect(readKeys).to.deep.equal(['a', 'a']);
  });

  it('checks for changes once for all calls in one tick', async () => {
    let versionReads = 0;
    const takeChange = (): boolean => {
      versionReads += 1;
      return false;
    };
    const cache = new RowCache({ takeChange }, () => ({ value: 1 }));
    cache.get('a');
    expect(versionReads, 'before the read and after it').to.equal(2);
    cache.get('a');
    cache.get('a');
    expect(versionReads).to.equal(2);
    await undefined;
    cache.get('a');
    expect(versionReads).to.equal(3);
  });

  it('holds at most 10,000 rows', () => {
    let reads = 0;
    const cache = new RowCache({ takeChange: () => false }, (key) => {
      reads += 1;
      return { key };
    });
    for (let n = 0; n < 10_001; n += 1) cache.get(String(n));
    cache.get('10000');
    expect(reads).to.equal(10_001);
    cache.get('0');
    expect(reads).to.equal(10_002);
  });
});

// On other systems each row is read again.
if (process.platform === 'linux')
  describe('rows that are cached while nothing is committed', () => {
    it('are answered from the cache of a new file, and read again after a commit of another connection', () =>
      inFolder(async (folder) => {
        const path = join(folder, 'rows.sqlite');
        const file = new SqliteFile(path);
        file.exec(`CREATE TABLE rows (id TEXT PRIMARY KEY, value INTEGER); INSERT INTO rows VALUES ('a', 1)`);
        const read = () => file.cached('SELECT value FROM rows WHERE id = ?', 'a', itself);
        read();
        const first = read();
        expect(read()).to.equal(first);
        const other = new Database(path);
        other.exec('UPDATE rows SET value = 2');
        await undefined;
        expect(read()).to.deep.equal({ value: 2 });
        expect(read()).to.equal(read());
        other.close();
        file.close();
      }));

    it('are not cached if a read of the file may differ from its mapping', () =>
      inFolder(async (folder) => {
        const path = join(folder, 'rows.sqlite');
        const file = new SqliteFile(path);
        file.exec('CREATE TABLE rows (id TEXT PRIMARY KEY)');
        const NINE_P = 0x01_02_19_97;
        expect(CommitWatch.of(path, () => NINE_P)).to.equal(undefined);
        expect(CommitWatch.of(path)).to.be.instanceOf(CommitWatch);
        file.close();
      }));

    it('are those of the file that SQLite has open, if a backup replaces it', () =>
      inFolder(async (folder) => {
        const path = join(folder, 'rows.sqlite');
        const file = new SqliteFile(path);
        file.exec(`CREATE TABLE rows (id TEXT PRIMARY KEY, value INTEGER); INSERT INTO rows VALUES ('a', 1)`);
        const sql = 'SELECT value FROM rows WHERE id = ?';
        file.emptyLog();
        copyFileSync(path, join(folder, 'backup.sqlite'));
        file.exec('UPDATE rows SET value = 2');
        const agree = async () => {
          await undefined;
          expect(file.cached(sql, 'a', itself)).to.deep.equal(file.prepare(sql).get('a'));
          expect(file.cached(sql, 'a', itself)).to.deep.equal(file.prepare(sql).get('a'));
        };
        await agree();
        renameSync(join(folder, 'backup.sqlite'), path);
        for (const ending of ['-wal', '-shm']) rmSync(path + ending);
        await agree();
        const other = new SqliteFile(path);
        other.exec('UPDATE rows SET value = 3');
        await agree();
        expect(other.cached(sql, 'a', itself)).to.deep.equal({ value: 3 });
        file.close();
        other.exec('UPDATE rows SET value = 4');
        await undefined;
        expect(other.cached(sql, 'a', itself)).to.deep.equal({ value: 4 });
        other.close();
      }));

    it('are those of the open file even if a statement first reads after another connection opened the backup', () =>
      inFolder(async (folder) => {
        const path = join(folder, 'rows.sqlite');
        const file = new SqliteFile(path);
        file.exec(`CREATE TABLE rows (id TEXT PRIMARY KEY, value INTEGER); INSERT INTO rows VALUES ('a', 1)`);
        file.emptyLog();
        copyFileSync(path, join(folder, 'backup.sqlite'));
        renameSync(join(folder, 'backup.sqlite'), path);
        for (const ending of ['-wal', '-shm']) rmSync(path + ending);
        const other = new SqliteFile(path);
        other.exec('UPDATE rows SET value = 2');
        const read = () => file.cached('SELECT value FROM rows WHERE id = ?', 'a', itself);
        expect([read(), read()]).to.deep.equal([{ value: 1 }, { value: 1 }]);
        file.exec('UPDATE rows SET value = 3');
        await undefined;
        expect([read(), read()]).to.deep.equal([{ value: 3 }, { value: 3 }]);
        other.close();
        file.close();
      }));

    it('are never older than an acknowledged change, while writers write, checkpoint and are killed', async () => {
      const { hits, stale, kills, changes } = await stress({ checks: 100_000, killEvery: 20_000 });
      expect(stale).to.equal(0);
      expect(kills).to.equal(5);
      expect(changes).to.be.greaterThan(100);
      expect(hits).to.be.greaterThan(1_000);
    });

    it('would be older if only the salts of the header were compared', async () => {
      const weaker = (file: string) => {
        // Stays open: closing it would drop SQLite's locks.
        const header = openSync(`${file}-shm`, 'r');
        let seen = '';
        const takeChange = (): boolean => {
          const salts = Buffer.alloc(8);
          readSync(header, salts, 0, 8, 32);
          const changed = salts.toString('hex') !== seen;
          seen = salts.toString('hex');
          return changed;
        };
        return { takeChange };
      };
      const { stale } = await stress({ checks: 60_000, killEvery: 20_000, watch: weaker });
      expect(stale).to.be.greaterThan(0);
    });
  });
