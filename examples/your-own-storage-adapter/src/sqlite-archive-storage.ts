import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import { type ArchiveId, type ArchiveStorage, Fault, type StagedArchive } from '@pinfold/core';
import { checkReadRange } from '@pinfold/core/adapter';

/** Stores archives as rows of a SQLite file, with nothing but Node. */
export class SqliteArchiveStorage implements ArchiveStorage {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async put(id: ArchiveId, archive: StagedArchive, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const bytes = await orFault(() => buffer(archive.open()));
    signal?.throwIfAborted();
    if (bytes.length !== archive.size) throw new Fault('storage_unavailable', 'a staged file was changed');
    // One statement is one transaction: the row is stored completely and durably, or not at all.
    await orFault(() =>
      this.#database.prepare('INSERT INTO archives (id, bytes) VALUES (?, ?)').run(id, bytes),
    );
  }

  async read(
    id: ArchiveId,
    from: number,
    length: number,
    signal?: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    signal?.throwIfAborted();
    checkReadRange(from, length);
    const select = 'SELECT substr(bytes, ?, ?) AS part, length(bytes) AS size FROM archives WHERE id = ?';
    const row = await orFault(() => this.#database.prepare(select).get(from + 1, length, id));
    if (row === undefined) return undefined;
    // A part of an archive without bytes is NULL.
    const part = (row.part ?? new Uint8Array()) as Uint8Array<ArrayBuffer>;
    if (from + length > Number(row.size))
      throw new Fault('storage_unavailable', 'the archive ends before that');
    return part;
  }

  async size(id: ArchiveId, signal?: AbortSignal): Promise<number | undefined> {
    signal?.throwIfAborted();
    const select = 'SELECT length(bytes) AS size FROM archives WHERE id = ?';
    return (await orFault(() => this.#database.prepare(select).get(id)))?.size as number | undefined;
  }

  async delete(id: ArchiveId, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await orFault(() => this.#database.prepare('DELETE FROM archives WHERE id = ?').run(id));
  }

  async list(
    after: ArchiveId | undefined,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly ArchiveId[]> {
    signal?.throwIfAborted();
    const select = 'SELECT id FROM archives WHERE id > ? ORDER BY id LIMIT ?';
    const rows = await orFault(() => this.#database.prepare(select).all(after ?? '', limit));
    return rows.map((row) => row.id as ArchiveId);
  }

  async check(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await orFault(() => this.#database.prepare('SELECT id FROM archives LIMIT 0').all());
  }
}

/** Opens the file, or creates it. Any number of processes of one machine may have it open. */
export function openSqliteArchives(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE IF NOT EXISTS archives (id TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT');
  return database;
}

/** Errors of the system or SQLite become the one fault of the port, with their cause. */
async function orFault<Result>(task: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new Fault('storage_unavailable', `archives cannot be stored or read: ${error.message}`, {
      cause: error,
    });
  }
}
