import type { AnyTable } from '../table.ts';
import * as accountTables from './account-tables.ts';
import * as roleTables from './role-tables.ts';
import * as serviceTables from './service-tables.ts';

/** Every table of Pinfold: what these files export beside types. */
export const TABLES: readonly AnyTable[] = [accountTables, roleTables, serviceTables].flatMap(
  (tables): readonly AnyTable[] => Object.values(tables),
);
