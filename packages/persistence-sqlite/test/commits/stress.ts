import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { CommitWatch, RowCache } from '../../src/engine/commit-watch.ts';
import { inFolder } from '../in-folder.ts';

/** The result of a stress test. */
export interface Stress {
  readonly checks: number;
  /** Answers from memory. */
  readonly hits: number;
  /** Answers from before a change that had been acknowledged. */
  readonly stale: number;
  readonly kills: number;
  /** How often the row was changed. */
  readonly changes: number;
}

/** The settings of a stress test. */
export interface StressOptions {
  readonly checks: number;
  readonly killEvery?: number;
  /** Creates what is tested in place of {@link CommitWatch}. */
  readonly watch?: (file: string) => Pick<CommitWatch, 'takeChange'>;
}

const WRITERS = 2;

/**
 * Reads a row by the cache while processes change it, checkpoint the log in every way, and are killed. Each writer
 * acknowledges in a file of its own, which is read before each check: the answer must not be older.
 */
export function stress({ checks, killEvery = 2_000, watch = watchOf }: StressOptions): Promise<Stress> {
  return inFolder(async (folder) => {
    const file = join(folder, 'rows.sqlite');
    const database = new Database(file);
    database.pragma('journal_mode = WAL');
    database.exec(`CREATE TABLE counters (id TEXT PRIMARY KEY, value INTEGER); CREATE TABLE noise (text TEXT);
      INSERT INTO counters VALUES ('row', 0)`);
    const select = database.prepare<[string], { readonly value: number }>(
      'SELECT value FROM counters WHERE id = ?',
    );
    let reads = 0;
    select.get('row');
    const cache = new RowCache(watch(file), (key) => {
      reads += 1;
      return select.get(key);
    });
    const writers = await Promise.all(
      Array.from({ length: WRITERS }, (_, n) => startWriter(file, join(folder, `acknowledged-${n}`), n)),
    );
    let stale = 0;
    let kills = 0;
    for (let n = 1; n <= checks; n += 1) {
      const least = Math.max(...writers.map((writer) => writer.acknowledged()));
      if ((cache.get('row')?.value ?? 0) < least) stale += 1;
      // Code that runs without a pause checks for commits once.
      await undefined;
      // Writers are other processes: only their messages need the event loop.
      if (n % killEvery === 0) {
        await writers[kills % WRITERS]?.killAndRestart();
        kills += 1;
      }
    }
    for (const writer of writers) await writer.end();
    const changes = select.get('row')?.value ?? 0;
    database.close();
    return { checks, hits: checks - reads, stale, kills, changes };
  });
}

function watchOf(file: string): Pick<CommitWatch, 'takeChange'> {
  const watch = CommitWatch.of(file);
  if (watch === undefined) throw new Error('commits cannot be watched here');
  return watch;
}

/** A process that changes the row. */
interface Writer {
  /** The last change whose commit was acknowledged to the writer. */
  acknowledged(): number;
  killAndRestart(): Promise<void>;
  end(): Promise<void>;
}

async function startWriter(file: string, path: string, n: number): Promise<Writer> {
  writeFileSync(path, Buffer.alloc(8));
  const [descriptor, eight] = [openSync(path, 'r'), Buffer.alloc(8)];
  let starts = 0;
  const begin = async (): Promise<ChildProcess> => {
    starts += 1;
    const begun = fork(new URL('./writer.ts', import.meta.url), [file, path, String(n * 1_000 + starts)], {
      execArgv: ['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning'],
    });
    await once(begun, 'message');
    return begun;
  };
  let child = await begin();
  const kill = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    acknowledged: () => {
      readSync(descriptor, eight, 0, 8, 0);
      return eight.readDoubleBE();
    },
    killAndRestart: async () => {
      await kill();
      child = await begin();
    },
    end: async () => {
      await kill();
      closeSync(descriptor);
    },
  };
}
