import type { Joined, ReferenceSelection } from './steps.ts';
import type { AnyTable, NameOf, RowOf } from './table.ts';

/**
 * A value by one key, for what is read very often. It is declared once, since an engine may cache what it makes, and may
 * read the keys of several callers in one statement.
 */
export interface Lookup<out Value> {
  readonly name: string;
  readonly table: AnyTable;
  /** The member that is the primary key or another key: a text. */
  readonly by: string;
  /** The columns that are read. */
  readonly select: readonly string[];
  /** The columns of the rows that are read along, by the members that refer to them. */
  readonly references: Readonly<Record<string, readonly string[]>>;
  /** Makes the value of what was found. Several callers get the same value, so a store copies it before it answers. */
  readonly make: (found: never) => Value;
}

/** Defines a lookup under a name that no other one has: see {@link Lookup}. */
export function defineLookup<
  Table extends AnyTable,
  const References extends ReferenceSelection<Table>,
  Selected extends NameOf<RowOf<Table>>,
  Value,
>(
  name: string,
  definition: {
    readonly table: Table;
    readonly by: NameOf<RowOf<Table>>;
    readonly select: readonly Selected[];
    readonly references: References;
    make(found: Joined<Table, References, Selected>): Value;
  },
): Lookup<Value> {
  return { name, ...definition } as unknown as Lookup<Value>;
}
