import { type Clock, duration } from '@pinfold/core';
import { DiskReserve, ReopeningFile } from './reopening-file.ts';
import { asFault, isBusy, MAX_TOTAL_WAIT, MAX_WAIT, unavailable } from './sqlite-errors.ts';
import type { SqliteFile } from './sqlite-file.ts';

/** The connection of a database, shared by all its calls. Waits for locks without blocking the event loop. */
export class SqliteConnection {
  readonly #file: ReopeningFile;
  readonly #sleep: Clock['sleep'];
  readonly #changed: () => void;

  /** `changed` is called after each transaction that may have changed something. */
  constructor(
    file: string,
    sleep: Clock['sleep'],
    changed: () => void = () => {},
    reserve: Pick<DiskReserve, 'releaseDuring' | 'refill'> = new DiskReserve(file),
  ) {
    this.#file = new ReopeningFile(file, reserve);
    this.#sleep = sleep;
    this.#changed = changed;
  }

  /** Runs statements that change nothing; each may see a different state. */
  read<Result>(work: (file: SqliteFile) => Result, signal?: AbortSignal): Promise<Result> {
    return this.#retrying(() => this.#file.attempt(work), signal);
  }

  /** Like {@link read}, but returns a promise only if it has to wait for a lock, or fails. */
  readAtOnce<Result>(work: (file: SqliteFile) => Result, signal?: AbortSignal): Promise<Result> | Result {
    try {
      if (signal?.aborted !== true) return this.#file.attempt(work);
    } catch {
      // The second attempt waits, or rejects with a Fault.
    }
    return this.read(work, signal);
  }

  /** See {@link ReopeningFile.readTransaction}. */
  readTransaction(signal?: AbortSignal): Promise<SqliteFile> {
    return this.#retrying(() => this.#file.readTransaction(), signal);
  }

  /**
   * Runs statements in one transaction, which is serialized with those of other connections. `usesReserve`: on a full disk,
   * it may use the space of the {@link DiskReserve}.
   */
  async write<Result>(work: (file: SqliteFile) => Result, usesReserve = false): Promise<Result> {
    const result = await this.#retrying(() => this.#file.change(work, usesReserve));
    this.#changed();
    return result;
  }

  /** Closes the file; it cannot be used again. */
  close(): void {
    this.#file.close();
  }

  async #retrying<Result>(attempt: () => Result, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    let waited = 0;
    for (let wait = 1; ; wait = Math.min(wait * 2, MAX_WAIT)) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error)) throw asFault(error);
        if (waited + wait > MAX_TOTAL_WAIT) throw unavailable(error);
      }
      await this.#sleep(duration(wait), signal);
      waited += wait;
    }
  }
}
