import type { Migration } from '@pinfold/core/adapter';
import { type AnyTable, TABLES } from '@pinfold/core/records';
import { createTables } from '@pinfold/core/sql';
import { SQLITE } from '../database/sqlite-dialect.ts';
import { HAND_WRITTEN } from './hand-written.ts';

const DECLARED = HAND_WRITTEN + 1;

/** The steps to a schema with these tables. A new database begins with the second one. */
export function migrationsTo(tables: readonly AnyTable[]): readonly Migration[] {
  const sql = createTables(tables, SQLITE).join(';\n');
  return [
    { version: HAND_WRITTEN, release: '0.1.0', oldestVersion: HAND_WRITTEN, sql: '' },
    { version: DECLARED, release: '0.1.0', oldestVersion: DECLARED, sql },
  ];
}

/** All steps in order of version. Add new ones at the end; never change one that was released. */
export const MIGRATIONS: readonly Migration[] = migrationsTo(TABLES);
