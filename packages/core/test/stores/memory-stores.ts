import { createMemoryDatabase } from '@pinfold/memory';
import type { FeedId } from '../../src/index.ts';
import type { Database } from '../../src/records.ts';
import { createPersistence, STORE_SCHEMA } from '../../src/stores/create-persistence.ts';

export type Stores = ReturnType<typeof createPersistence>;

/** An empty database in memory, which checks the locks of programs. */
export const newDatabase = (): ReturnType<typeof createMemoryDatabase> => createMemoryDatabase(STORE_SCHEMA);

export function storesOver(database: Database = newDatabase()): Stores {
  return createPersistence(database, () => 'f'.repeat(32) as FeedId);
}
