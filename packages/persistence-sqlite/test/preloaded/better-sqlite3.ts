import { createRequire } from 'node:module';

/** The methods of better-sqlite3 that these tests replace. */
interface Database {
  prepare(this: Database, sql: string): Statement;
  pragma(this: Database, sql: string, options?: object): unknown;
  readonly name: string;
}

interface Statement {
  run(...values: readonly unknown[]): unknown;
}

const require = createRequire(import.meta.url);

/** The methods of the connections of this process, as the database's adapter loads them. */
export const connections: Database = (require('better-sqlite3') as { readonly prototype: Database })
  .prototype;
