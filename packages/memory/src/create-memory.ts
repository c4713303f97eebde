import type { ArchiveStorage, FeedId } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import { createPersistence, STORE_SCHEMA } from '@pinfold/core/stores';
import { createMemoryDatabase, type MemoryDatabase } from './database/memory-database.ts';
import { type Archives, memoryArchiveStorage } from './memory-archive-storage.ts';

/** Every store over one set of data in this process. It has no schema to migrate, and no clock for `check` to tell. */
export interface Memory extends Persistence {
  readonly archives: ArchiveStorage;
  /** Opens one more handle on the same data, as another node would; each is closed by itself. */
  peer(): Memory;
}

/**
 * Opens stores that keep everything in the memory of this process: empty at first, gone with the last handle.
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

function handleOn(database: MemoryDatabase, archives: Archives): Memory {
  const storage = memoryArchiveStorage(archives);
  return {
    ...createPersistence(database, () => crypto.randomUUID().replaceAll('-', '') as FeedId),
    archives: storage,
    close: async () => {
      storage.close();
      await database.close();
    },
    peer: () => handleOn(database.peer(), archives),
  };
}
