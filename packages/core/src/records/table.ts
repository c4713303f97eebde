import type { Where } from './conditions.ts';

/**
 * The type of a stored value: a Unicode text, a whole number from −(2^53 − 1) to 2^53 − 1, a boolean, or JSON. A `sequence`
 * is a whole number from 1 on that the engine assigns to each inserted row. It counts up, and no number is ever reused.
 */
export type ColumnType = 'text' | 'integer' | 'flag' | 'json' | 'sequence';

/** One column of a table. */
export interface Column<Type extends ColumnType = ColumnType, IsNullable extends boolean = boolean> {
  readonly type: Type;
  readonly isNullable: IsNullable;
}

/** A column of texts, compared and sorted by code point: case, accents and trailing spaces count. */
export const text: Column<'text', false> = { type: 'text', isNullable: false };
/** A column of whole numbers. */
export const integer: Column<'integer', false> = { type: 'integer', isNullable: false };
/** A column of booleans. */
export const flag: Column<'flag', false> = { type: 'flag', isNullable: false };
/** A column of lists and objects, stored as JSON. Conditions cannot compare it. */
export const json: Column<'json', false> = { type: 'json', isNullable: false };
/** A column of numbers that the engine assigns. */
export const sequence: Column<'sequence', false> = { type: 'sequence', isNullable: false };

/** Makes a column that may be null. */
export function nullable<Type extends ColumnType>({ type }: Column<Type, false>): Column<Type, true> {
  return { type, isNullable: true };
}

/** The names of the members of a row. */
export type NameOf<Row> = keyof Row & string;

/** Columns by which rows are found or sorted quickly. */
export interface TableIndex<Row> {
  /** Unique within its table. */
  readonly name: string;
  /** In order of significance. */
  readonly columns: readonly NameOf<Row>[];
  /** Columns to read from the index, so that the row itself need not be read. */
  readonly covers?: readonly NameOf<Row>[];
  /** The rows in the index; all when absent. Only nulls, flags and columns of one row are compared. */
  readonly where?: Where<Row>;
  /** The first version of the schema that has it; 1 when absent. */
  readonly since?: number;
}

/** The types of a table's rows, only for the compiler. */
export interface TableTypes<Row = object, Key = PropertyKey, References = object, Sequence = PropertyKey> {
  readonly row: Row;
  readonly key: Key;
  readonly references: References;
  readonly sequence: Sequence;
}

/** A table as data, from which an engine creates it and checks programs. */
export interface AnyTable {
  readonly name: string;
  /** By the member of a row. A column has the name of its member in snake case: `updated_at`. */
  readonly columns: Readonly<Record<string, Column>>;
  /** The members of the primary key. */
  readonly key: readonly string[];
  /** Further unique keys. Rows in which a member is null never conflict. */
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly TableIndex<Readonly<Record<string, unknown>>>[];
  /** The tables that members refer to by primary key. An engine joins by these, but does not enforce that the row exists. */
  readonly references: Readonly<Record<string, () => AnyTable>>;
  /**
   * The locks that guard a row, from the members that are known. A program that writes the row holds all of them
   * exclusively. A program that relies on the row not changing holds at least one, shared or exclusively.
   *
   * Undefined: the rows never change, and are found only by a key in a guarded row.
   */
  readonly guards: ((row: Readonly<Record<string, unknown>>) => readonly string[]) | undefined;
  /** Never set: only for the compiler. */
  readonly types?: TableTypes;
}

/**
 * A table with the types of its rows.
 *
 * - `Row`: every member with its type.
 * - `Key`: the members of the primary key.
 * - `References`: the rows that a step may read along, by the member that is their key.
 * - `Sequence`: the members that the engine assigns.
 */
export interface RecordTable<
  Row extends object,
  Key extends keyof Row,
  References extends object = object,
  Sequence extends keyof Row = never,
> extends AnyTable {
  readonly types?: TableTypes<Row, Key, References, Sequence>;
}

type TypesOf<Table extends AnyTable> = NonNullable<Table['types']>;

/** The type of a table's rows. */
export type RowOf<Table extends AnyTable> = TypesOf<Table>['row'];

/** The primary key of a row. */
export type KeyOf<Table extends AnyTable> = Pick<RowOf<Table>, TypesOf<Table>['key'] & keyof RowOf<Table>>;

/** The rows that a table's rows refer to, by member. */
export type ReferencesOf<Table extends AnyTable> = TypesOf<Table>['references'];

/** A row to insert, without the members that the engine assigns. */
export type NewRowOf<Table extends AnyTable> = Omit<RowOf<Table>, TypesOf<Table>['sequence']>;

/** The members of a row that an update may change. */
export type ChangesOf<Table extends AnyTable> = Partial<
  Omit<RowOf<Table>, TypesOf<Table>['key'] | TypesOf<Table>['sequence']>
>;

type StoredAs<Value> = Value extends boolean
  ? 'flag'
  : Value extends string
    ? 'text'
    : Value extends number
      ? 'integer'
      : 'json';

/** The column for the type of a member; no other one compiles. */
export type ColumnFor<Value, IsSequence extends boolean = false> = Column<
  IsSequence extends true ? 'sequence' : StoredAs<NonNullable<Value>>,
  null extends Value ? true : false
>;

/** The definition of a table: see {@link AnyTable}. */
export interface TableDefinition<Table extends AnyTable> {
  readonly name: string;
  readonly columns: {
    readonly [Member in keyof RowOf<Table>]-?: ColumnFor<
      RowOf<Table>[Member],
      Member extends TypesOf<Table>['sequence'] ? true : false
    >;
  };
  readonly key: readonly (keyof KeyOf<Table> & string)[];
  readonly unique?: readonly (readonly NameOf<RowOf<Table>>[])[];
  readonly indexes?: readonly TableIndex<RowOf<Table>>[];
  readonly references?: { readonly [Member in keyof ReferencesOf<Table>]: () => AnyTable };
  readonly guards: ((row: Partial<RowOf<Table>>) => readonly string[]) | undefined;
}

/**
 * Defines a table. Annotate the constant with the type of its rows: each member needs a column of its type.
 *
 * @example
 * import { defineTable, integer, nullable, type RecordTable, text } from '@pinfold/core/records';
 *
 * interface Book {
 *   readonly isbn: string;
 *   readonly shelf: string;
 *   readonly lentAt: number | null;
 * }
 *
 * const BOOKS: RecordTable<Book, 'isbn'> = defineTable({
 *   name: 'books',
 *   columns: { isbn: text, shelf: text, lentAt: nullable(integer) },
 *   key: ['isbn'],
 *   indexes: [{ name: 'lent', columns: ['lentAt'] }],
 *   guards: ({ shelf }) => (shelf === undefined ? [] : [`shelf ${shelf}`]),
 * });
 * BOOKS.guards?.({ isbn: '0-19-852663-6', shelf: 'A' }); // ['shelf A']
 */
export function defineTable<Table extends AnyTable>(definition: TableDefinition<Table>): Table {
  return { unique: [], indexes: [], references: {}, ...definition } as unknown as Table;
}
