import type { Joined, ReferenceSelection } from './steps.ts';
import type { AnyTable, NameOf, RowOf } from './table.ts';

/**
 * Reads a value by one key, for very frequent reads. Declare it once: an engine may cache its values, and may read the keys
 * of several callers in one statement.
 */
export interface Lookup<out Value> {
  readonly name: string;
  readonly table: AnyTable;
  /** The member with the key: a text, and the primary key or a unique one. */
  readonly by: string;
  /** The columns to read. */
  readonly select: readonly string[];
  /** The columns to read of referenced rows, by the members that refer to them. */
  readonly references: Readonly<Record<string, readonly string[]>>;
  /** Makes the value. Several callers may get the same object, so a store copies it before it answers. */
  readonly make: (found: never) => Value;
}

/** Defines a {@link Lookup} under a unique name. */
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
