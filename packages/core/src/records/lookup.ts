import type { Joined } from './steps.ts';
import type { AnyTable, NameOf, ReferencesOf, RowOf } from './table.ts';

/**
 * A value by one key, for what is read very often. It is declared once, since an engine may cache what it makes, and may
 * read the keys of several callers in one statement.
 */
export interface Lookup<out Value> {
  readonly name: string;
  readonly table: AnyTable;
  /** The member that is the primary key or another key: a text. */
  readonly by: string;
  /** The members whose rows are read along. */
  readonly references: readonly string[];
  /** Makes the value of what was found. Several callers get the same value, so a store copies it before it answers. */
  readonly make: (found: never) => Value;
}

/** What {@link defineLookup} needs: see {@link Lookup}. */
export interface LookupDefinition<Table extends AnyTable, Name extends keyof ReferencesOf<Table>, Value> {
  readonly table: Table;
  readonly by: NameOf<RowOf<Table>>;
  readonly references: readonly Name[];
  make(found: Joined<Table, Name>): Value;
}

/** Defines a lookup under a name that no other one has. */
export function defineLookup<Table extends AnyTable, Name extends keyof ReferencesOf<Table> & string, Value>(
  name: string,
  { table, by, references, make }: LookupDefinition<Table, Name, Value>,
): Lookup<Value> {
  return { name, table, by, references, make };
}
