import { randomBytes } from 'node:crypto';
import type { FeedId } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import { createStores } from '@pinfold/core/stores';
import type { SqliteDatabase } from './sqlite-database.ts';

/** The stores in a database, which is closed with them. */
export function persistenceIn(database: SqliteDatabase): Persistence {
  return {
    ...createStores(database, newFeed),
    migrate: () => database.migrate(),
    check: (signal) => database.check(signal),
    close: () => database.close(),
  };
}

function newFeed(): FeedId {
  return randomBytes(16).toString('hex') as FeedId;
}
