import { type Clock, duration, Fault } from '@pinfold/core';
import { Reserve } from './ballast.ts';
import { asFault, isBusy, isFull, isOfSqlite, spoilsConnection, unavailable } from './sqlite-errors.ts';
import { openSqliteFile, type Prepare, type SqliteFile } from './sqlite-file.ts';

/** How long a lock held by another connection is waited for, all in all. */
const PATIENCE = 5_000;
const LONGEST_WAIT = 16;

/** What stores need of a connection. */
export type Statements = Pick<
  SqliteConnection,
  | 'read'
  | 'readCached'
  | 'snapshot'
  | 'readTransaction'
  | 'write'
  | 'writeRelaxed'
  | 'writeForCleanup'
  | 'writeSchema'
>;

/**
 * The connection that a handle's stores share. It waits for locks without stopping the event loop, and opens the file
 * anew when the old connection is of no more use, so that a cured disk needs no restart.
 */
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

  /** Runs one statement, or several that may each see another state, none of which changes anything. */
  read<Result>(work: (prepare: Prepare) => Result, signal?: AbortSignal): Promise<Result> {
    return this.#patiently(() => this.#attempt((file) => work(file.prepare)), signal);
  }

  /** Reads the row of a statement with one parameter, from memory while nothing was committed; it must not be changed. */
  readCached<Row>(sql: string, key: string, signal?: AbortSignal): Promise<Row | undefined> {
    return this.#patiently(() => this.#attempt((file) => file.cachedRow<Row>(sql, key)), signal);
  }

  /** Runs statements that change nothing and must see one state of the file. */
  snapshot<Result>(work: (prepare: Prepare) => Result): Promise<Result> {
    return this.#patiently(() => this.#attempt((file) => file.transaction('BEGIN', work)));
  }

  /**
   * One more connection, in which a transaction sees one state of the file until it is closed: others change it
   * meanwhile, and their log grows.
   */
  readTransaction(): Promise<SqliteFile> {
    return this.#patiently(() => {
      if (this.#closed) throw new Fault('store_unavailable', 'the database was closed');
      const opened = this.#open();
      try {
        opened.prepare('BEGIN').run();
        opened.prepare('SELECT 1 FROM schema_state').get();
        return opened;
      } catch (error) {
        opened.close();
        throw error;
      }
    });
  }

  /** Runs statements in one transaction: what another connection changes comes before or after all of them. */
  write<Result>(work: (prepare: Prepare) => Result): Promise<Result> {
    return this.#patiently(() => this.#attempt((file) => this.#change(file, true, unlessImporting(work))));
  }

  /** As {@link write}, also while an import is unfinished: for the import itself, and for the schema. */
  writeSchema<Result>(work: (prepare: Prepare, exec: (sql: string) => void) => Result): Promise<Result> {
    return this.#patiently(() =>
      this.#attempt((file) => this.#change(file, true, (prepare) => work(prepare, file.exec))),
    );
  }

  /** As {@link write}, without waiting for the disk: for what may be forgotten when the machine loses its power. */
  writeRelaxed<Result>(work: (prepare: Prepare) => Result): Promise<Result> {
    return this.#patiently(() => this.#attempt((file) => this.#change(file, false, unlessImporting(work))));
  }

  /**
   * As {@link writeRelaxed}, for what a cleanup writes: it makes room, and on a full disk it gets what was kept for it. Others
   * do not, or a disk that became full once could be helped by nobody but a person.
   */
  async writeForCleanup<Result>(work: (prepare: Prepare) => Result): Promise<Result> {
    const change = (file: SqliteFile): Result => this.#change(file, false, unlessImporting(work));
    const result = await this.#patiently((): Result => this.#withReserve(() => this.#attempt(change)));
    // What the archives took that went since the last write is free now.
    this.#reserve.keep();
    return result;
  }

  /** Lets go of the file, for good. */
  close(): void {
    this.#closed = true;
    this.#drop();
  }

  #change<Result>(file: SqliteFile, forced: boolean, work: (prepare: Prepare) => Result): Result {
    file.force(forced);
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
      return work(this.#opened);
    } catch (error) {
      if (spoilsConnection(error)) this.#drop();
      throw error;
    }
  }

  /** Once more with the reserve when the disk is full. The log's room comes first: it may be much. */
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

  /** A log that cannot be emptied, for want of room or for a reader, is in nobody's way. */
  #emptyLog(): void {
    try {
      this.#attempt((file) => file.emptyLog());
    } catch (error) {
      if (!isOfSqlite(error)) throw error;
    }
  }

  /** With the disk full, too: viewing needs room for nothing but the memory that readers share. */
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

/** Whoever changes something looks at the mark in the same transaction. */
function unlessImporting<Result>(work: (prepare: Prepare) => Result): (prepare: Prepare) => Result {
  return (prepare) => {
    if (prepare('SELECT 1 FROM import_mark').get() !== undefined) {
      throw new Fault('store_unavailable', 'an import into this database has not ended');
    }
    return work(prepare);
  };
}

function openWithReserve(file: string, reserve: Pick<Reserve, 'lend'>): SqliteFile {
  try {
    return openSqliteFile(file);
  } catch (error) {
    if (!isFull(error)) throw error;
    return reserve.lend(() => openSqliteFile(file));
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
