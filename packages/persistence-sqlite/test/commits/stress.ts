import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { CommitWatch } from '../../src/engine/commit-watch.ts';
import { type Changes, RowCache } from '../../src/engine/row-cache.ts';
import { inFolder } from '../in-folder.ts';

/** What a stress found. */
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

/** How a stress is done. */
export interface StressOptions {
  readonly checks: number;
  readonly killEvery?: number;
  /** Makes what is tried in the place of {@link CommitWatch}. */
  readonly watch?: (file: string) => Changes;
}

const WRITERS = 2;

/**
 * Reads a row by the cache while processes change it, check the log out in every way, and are killed. Each writer
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
      Array.from({ length: WRITERS }, (_, n) => Writer.start(file, join(folder, `acknowledged-${n}`), n)),
    );
    let stale = 0;
    let kills = 0;
    for (let n = 1; n <= checks; n += 1) {
      const least = Math.max(...writers.map((writer) => writer.acknowledged()));
      if ((cache.get('row')?.value ?? 0) < least) stale += 1;
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

function watchOf(file: string): Changes {
  const watch = CommitWatch.of(file);
  if (watch === undefined) throw new Error('commits cannot be watched here');
  return watch;
}

class Writer {
  readonly #file: string;
  readonly #path: string;
  readonly #seed: number;
  readonly #descriptor: number;
  readonly #eight = Buffer.alloc(8);
  #child: ChildProcess | undefined;
  #starts = 0;

  private constructor(file: string, path: string, seed: number) {
    this.#file = file;
    this.#path = path;
    this.#seed = seed;
    writeFileSync(path, Buffer.alloc(8));
    this.#descriptor = openSync(path, 'r');
  }

  static async start(file: string, path: string, seed: number): Promise<Writer> {
    const writer = new Writer(file, path, seed);
    await writer.#begin();
    return writer;
  }

  /** The last change that the writer was told to be committed. */
  acknowledged(): number {
    readSync(this.#descriptor, this.#eight, 0, 8, 0);
    return this.#eight.readDoubleBE();
  }

  async killAndRestart(): Promise<void> {
    await this.#kill();
    await this.#begin();
  }

  async end(): Promise<void> {
    await this.#kill();
    closeSync(this.#descriptor);
  }

  async #begin(): Promise<void> {
    this.#starts += 1;
    const seed = String(this.#seed * 1_000 + this.#starts);
    this.#child = fork(new URL('./writer.ts', import.meta.url), [this.#file, this.#path, seed], {
      execArgv: ['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning'],
    });
    await once(this.#child, 'message');
  }

  async #kill(): Promise<void> {
    if (this.#child === undefined) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
