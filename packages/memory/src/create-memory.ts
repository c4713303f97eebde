import { type ArchiveId, type ArchiveStorage, Fault, type FeedId, type StagedArchive } from '@pinfold/core';
import { checkReadRange, type Persistence } from '@pinfold/core/adapter';
import { createPersistence, STORE_SCHEMA } from '@pinfold/core/stores';
import { createMemoryDatabase, type MemoryDatabase } from './database/memory-database.ts';

/** All stores and archives in the memory of this process. It has no schema to migrate, and no database clock. */
export interface Memory extends Persistence {
  readonly archives: ArchiveStorage;
  /** Opens another handle on the same data, like another node. Close each handle. */
  peer(): Memory;
}

/**
 * Opens stores in the memory of this process: empty at first, gone with the last handle.
 *
 * @example
 * import { createMemory } from '@pinfold/memory';
 *
 * const memory = createMemory();
 * console.log(await memory.archives.list(undefined, 10)); // []
 */
export function createMemory(): Memory {
  return handleOn(createMemoryDatabase(STORE_SCHEMA), new Map());
}

/** The archives, which all handles share. */
type Archives = Map<ArchiveId, Uint8Array<ArrayBuffer>>;

function handleOn(database: MemoryDatabase, archives: Archives): Memory {
  let isClosed = false;
  return {
    ...createPersistence(database, () => crypto.randomUUID().replaceAll('-', '') as FeedId),
    archives: archiveStorage((signal) => {
      signal?.throwIfAborted();
      if (!isClosed) return archives;
      const cause = new Error('this handle was closed');
      throw new Fault('storage_unavailable', 'the memory is out of reach', { cause });
    }),
    close: async () => {
      isClosed = true;
      await database.close();
    },
    peer: () => handleOn(database.peer(), archives),
  };
}

/** @param open returns the archives, or throws if the handle is closed. */
function archiveStorage(open: (signal?: AbortSignal) => Archives): ArchiveStorage {
  return {
    put: async (id, archive, signal) => {
      open(signal);
      const bytes = await readStaged(archive, signal);
      open(signal).set(id, bytes);
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
  archive: StagedArchive,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(archive.size);
  let length = 0;
  try {
    for await (const piece of archive.open()) {
      signal?.throwIfAborted();
      length += piece.length;
      if (length > bytes.length) break;
      bytes.set(piece, length - piece.length);
    }
  } catch (cause) {
    signal?.throwIfAborted();
    throw new Fault('storage_unavailable', 'the staged archive cannot be read', { cause });
  }
  if (length === bytes.length) return bytes;
  throw new Fault('storage_unavailable', 'the staged archive was changed');
}
