import { readFile } from 'node:fs/promises';
import { type ArchiveStorage, Fault, type StagedArchive } from '@pinfold/core';
import { checkReadRange } from '@pinfold/core/adapter';
import type { Connection } from './connection.ts';
import type { MemoryData } from './memory-data.ts';

export function memoryArchiveStorage(connection: Connection): ArchiveStorage {
  const open = (signal?: AbortSignal): MemoryData['archives'] =>
    connection.open(signal, 'storage_unavailable').archives;
  return {
    put: async (id, archive, signal) => {
      const archives = open(signal);
      const bytes = await readStaged(archive, signal);
      signal?.throwIfAborted();
      archives.set(id, bytes);
    },
    read: async (id, from, length, signal) => {
      const bytes = open(signal).get(id);
      if (bytes === undefined) return undefined;
      checkReadRange(from, length);
      if (from + length > bytes.length) throw new TypeError('a read lies inside the archive');
      return bytes.slice(from, from + length);
    },
    size: async (id, signal) => open(signal).get(id)?.length,
    delete: async (id, signal) => void open(signal).delete(id),
    list: async (after, limit, signal) => {
      const ids = [...open(signal).keys()].filter((id) => after === undefined || id > after);
      return ids.sort().slice(0, limit);
    },
    check: async (signal) => void open(signal),
  };
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
