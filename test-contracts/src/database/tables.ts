import {
  type AnyTable,
  defineTable,
  flag,
  integer,
  json,
  nullable,
  type RecordTable,
  sequence,
  text,
} from '@pinfold/core/records';

/** A shelf of the suite's library. */
export interface Shelf {
  readonly name: string;
  /** Unique. */
  readonly label: string | null;
  readonly size: number;
}

export interface Book {
  readonly isbn: string;
  readonly shelf: string;
  readonly title: string;
  /** Unique. */
  readonly code: string | null;
  readonly pages: number;
  readonly lentAt: number | null;
  readonly dueAt: number | null;
  readonly isRare: boolean;
  readonly tags: readonly unknown[];
  readonly note: Readonly<Record<string, unknown>> | null;
  readonly number: number;
}

/** Guards a shelf and the books on it. */
export function shelfLock(name: string): string {
  return `shelf ${name}`;
}

export const SHELVES: RecordTable<Shelf, 'name'> = defineTable({
  name: 'shelves',
  columns: { name: text, label: nullable(text), size: integer },
  key: ['name'],
  unique: [['label']],
  guards: ({ name }) => (name === undefined ? [] : [shelfLock(name)]),
});

export const BOOKS: RecordTable<Book, 'isbn', { readonly shelf: Shelf }, 'number'> = defineTable({
  name: 'books',
  columns: {
    isbn: text,
    shelf: text,
    title: text,
    code: nullable(text),
    pages: integer,
    lentAt: nullable(integer),
    dueAt: nullable(integer),
    isRare: flag,
    tags: json,
    note: nullable(json),
    number: sequence,
  },
  key: ['isbn'],
  // Some databases bound the length of a key of two texts, which is the reason for the second.
  unique: [['code'], ['shelf', 'code']],
  indexes: [
    { name: 'titles', columns: ['shelf', 'title', 'isbn'], covers: ['isRare'], where: { lentAt: null } },
    { name: 'codes', columns: ['code', 'pages'] },
    { name: 'rare', columns: ['pages'], where: { isRare: true } },
  ],
  references: { shelf: () => SHELVES },
  guards: ({ shelf }) => (shelf === undefined ? [] : [shelfLock(shelf)]),
});

/** The tables by their names in commands. */
export const TABLE_BY_NAME: Readonly<Record<'books' | 'shelves', AnyTable>> = {
  books: BOOKS,
  shelves: SHELVES,
};

export type NewBook = Omit<Book, 'number'>;

/** The `n`th book, by default on the shelf A. */
export function aBook(n: number, other: Partial<NewBook> = {}): NewBook {
  return {
    isbn: isbnOf(n),
    shelf: 'A',
    title: `Title ${n}`,
    code: null,
    pages: 100 + n,
    lentAt: null,
    dueAt: null,
    isRare: false,
    tags: [],
    note: null,
    ...other,
  };
}

export function isbnOf(n: number): string {
  return `isbn-${String(n).padStart(5, '0')}`;
}
