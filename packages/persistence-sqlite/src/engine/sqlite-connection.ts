import { type Clock, duration, Fault } from '@pinfold/core';
import { systemCodeOf } from '@pinfold/core/internal';
import { Reserve } from './ballast.ts';
import { asFault, isBusy, isFull, isOfSqlite, spoilsConnection, unavailable } from './sqlite-errors.ts';
import { openSqliteFile, type Prepare, type SqliteFile } from './sqlite-file.ts';

/** The total wait for a lock of another connection. */
const PATIENCE = 5_000;
const LONGEST_WAIT = 16;

/** A handle's shared connection. Waits for locks off the event loop, and reopens an unusable file without a restart. */
export class SqliteConnection {
  readonly #file: string;
  readonly #sleep: Clock['sleep'];
  readonly #changed: () => void;
  readonly #reserve: Pick<Reserve, 'lend' | 'keep'>;
  #opened: SqliteFile | undefined;
  #closed = false;

  /** `changed` is called after each transaction that may have changed something. */
  constructor(
    file: string,
    sleep: Clock['sleep'],
    changed: () => void = () => {},
    reserve: Pick<Reserve, 'lend' | 'keep'> = new Reserve(file),
  ) {
    this.#file = file;
    this.#sleep = sleep;
    this.#changed = changed;
    this.#reserve = reserve;
  }

  /** Runs statements that change nothing; each may see a different state. */
  read<Result>(work: (prepare: Prepare) => Result, signal?: AbortSignal): Promise<Result> {
    return this.#patiently(() => this.#attempt((file) => work(file.prepare)), signal);
  }

  /** As the `cached` of a file; with a promise only where it has to wait for a lock, or fails. */
  readCached<Row, Value>(
    sql: string,
    key: string,
    make: (row: Row) => Value,
    signal?: AbortSignal,
  ): Promise<Value | undefined> | Value | undefined {
    const read = (file: SqliteFile): Value | undefined => file.cached(sql, key, make);
    try {
      if (signal?.aborted !== true) return this.#attempt(read);
    } catch {
      // The second attempt waits, or rejects with a Fault.
    }
    return this.#patiently(() => this.#attempt(read), signal);
  }

  /** Runs statements that change nothing and must see one state of the file. */
  snapshot<Result>(work: (prepare: Prepare) => Result): Promise<Result> {
    return this.#patiently(() => this.#attempt((file) => file.transaction('BEGIN', work)));
  }

  /** Another connection with a read transaction until it is closed; others can write meanwhile, and the log grows. */
  readTransaction(): Promise<SqliteFile> {
    return this.#patiently(() => {
      if (this.#closed) throw new Fault('store_unavailable', 'the database was closed');
      const opened = this.#open();
      try {
        flushLogOf(opened);
        opened.prepare('BEGIN').run();
        opened.prepare('SELECT 1 FROM schema_state').get();
        return opened;
      } catch (error) {
        opened.close();
        throw error;
      }
    });
  }

  /** Runs statements in one transaction, which is serialized with those of other connections. */
  write<Result>(work: (prepare: Prepare, exec: (sql: string) => void) => Result): Promise<Result> {
    return this.#patiently(() =>
      this.#attempt((file) => this.#change(file, (prepare) => work(prepare, file.exec))),
    );
  }

  /**
   * Like {@link write}; on a full disk it uses the ballast. For cleanups, which free space, and for changes that end
   * access, which cannot wait for space.
   */
  async writeFromReserve<Result>(work: (prepare: Prepare) => Result): Promise<Result> {
    const change = (file: SqliteFile): Result => this.#change(file, work);
    const result = await this.#patiently((): Result => this.#withReserve(() => this.#attempt(change)));
    // Archives removed since the last write have freed room.
    this.#reserve.keep();
    return result;
  }

  /** Lets go of the file, for good. */
  close(): void {
    this.#closed = true;
    this.#drop();
  }

  #change<Result>(file: SqliteFile, work: (prepare: Prepare) => Result): Result {
    const result = file.transaction('BEGIN IMMEDIATE', work);
    this.#changed();
    return result;
  }

  async #patiently<Result>(attempt: () => Result, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    let waited = 0;
    for (let wait = 1; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error)) throw asFault(error);
        if (waited + wait > PATIENCE) throw unavailable(error);
      }
      await this.#sleep(duration(wait), signal);
      waited += wait;
    }
  }

  #attempt<Result>(work: (file: SqliteFile) => Result): Result {
    if (this.#closed) throw new Fault('store_unavailable', 'the database was closed');
    this.#opened ??= this.#open();
    try {
      flushLogOf(this.#opened);
      return work(this.#opened);
    } catch (error) {
      if (spoilsConnection(error)) this.#drop();
      throw error;
    }
  }

  /** Retries on a full disk, first with the log truncated, which may free much, then with the ballast. */
  #withReserve<Result>(attempt: () => Result): Result {
    try {
      return attempt();
    } catch (error) {
      if (!isFull(error)) throw error;
      return this.#reserve.lend(() => {
        this.#emptyLog();
        return attempt();
      });
    }
  }

  /** A log that cannot be truncated, for lack of room or because of a reader, does no harm. */
  #emptyLog(): void {
    try {
      this.#attempt((file) => file.emptyLog());
    } catch (error) {
      if (!isOfSqlite(error)) throw error;
    }
  }

  /** Works on a full disk too: reads need room only for the memory that connections share. */
  #open(): SqliteFile {
    try {
      const opened = openWithReserve(this.#file, this.#reserve);
      this.#reserve.keep();
      return opened;
    } catch (error) {
      throw isSystemError(error) ? unavailable(error) : error;
    }
  }

  #drop(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }
}

function openWithReserve(file: string, reserve: Pick<Reserve, 'lend'>): SqliteFile {
  try {
    return openSqliteFile(file);
  } catch (error) {
    if (!isFull(error)) throw error;
    return reserve.lend(() => openSqliteFile(file));
  }
}

function flushLogOf(file: SqliteFile): void {
  try {
    file.flushRecoveredLog();
  } catch (error) {
    throw isSystemError(error) ? unavailable(error) : error;
  }
}

function isSystemError(error: unknown): boolean {
  return systemCodeOf(error) !== undefined;
}
