import type { FeedId } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import { createPersistence, STORE_SCHEMA } from '@pinfold/core/stores';
import { SqliteDatabase } from '../src/database/sqlite-database.ts';
import type { SqliteConnection } from '../src/engine/sqlite-connection.ts';

/** The stores of a connection without a checkpointer. */
export function storesOver(connection: SqliteConnection): Persistence {
  return createPersistence(new SqliteDatabase(connection, STORE_SCHEMA), () => 'f'.repeat(32) as FeedId);
}
