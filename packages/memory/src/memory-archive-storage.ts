import { readFile } from 'node:fs/promises';
import { type ArchiveId, type ArchiveStorage, Fault, MAX_READ, type StagedArchive } from '@pinfold/core';
import type { Connection } from './connection.ts';
import type { MemoryData } from './memory-data.ts';

export class MemoryArchiveStorage implements ArchiveStorage {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async put(id: ArchiveId, archive: StagedArchive, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { archives } = this.#open();
    const bytes = await readStaged(archive, signal);
    signal?.throwIfAborted();
    archives.set(id, bytes);
  }

  async read(
    id: ArchiveId,
    from: number,
    length: number,
    signal?: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    signal?.throwIfAborted();
    const bytes = this.#open().archives.get(id);
    if (bytes === undefined) return undefined;
    const inside = from >= 0 && length >= 0 && length <= MAX_READ && from + length <= bytes.length;
    if (!inside) throw new TypeError('a read is 0 to 1 MiB long and lies inside the archive');
    return bytes.slice(from, from + length);
  }

  async delete(id: ArchiveId, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#open().archives.delete(id);
  }

  async list(
    after: ArchiveId | undefined,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly ArchiveId[]> {
    signal?.throwIfAborted();
    const ids = [...this.#open().archives.keys()].filter((id) => after === undefined || id > after);
    return ids.sort().slice(0, limit);
  }

  async check(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#open();
  }

  #open(): MemoryData {
    return this.#connection.open('storage_unavailable');
  }
}

async function readStaged(
  { file, size }: StagedArchive,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes = await readFile(file, { signal });
    if (bytes.length === size) return new Uint8Array(bytes);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new Fault('storage_unavailable', 'the staged archive cannot be read', { cause });
  }
  throw new Fault('storage_unavailable', 'the staged archive was changed');
}
