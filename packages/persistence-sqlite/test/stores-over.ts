import type { Persistence } from '@pinfold/core/adapter';
import { STORE_SCHEMA } from '@pinfold/core/stores';
import { persistenceIn } from '../src/database/persistence-in.ts';
import { SqliteDatabase } from '../src/database/sqlite-database.ts';
import type { SqliteConnection } from '../src/engine/sqlite-connection.ts';

/** The stores over a connection that has no checkpointer. */
export function storesOver(connection: SqliteConnection): Persistence {
  return persistenceIn(new SqliteDatabase(connection, STORE_SCHEMA));
}
