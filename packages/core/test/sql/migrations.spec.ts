import { defineTable, flag, integer, json, nullable, type RecordTable, text } from '@pinfold/core/records';
import { migrationsTo, type SqlDialect } from '@pinfold/core/sql';
import { expect } from 'chai';

interface Book {
  readonly isbn: string;
  readonly shelf: string;
  readonly title: string;
  readonly code: string | null;
  readonly lentAt: number | null;
  readonly isRare: boolean;
  readonly tags: readonly string[];
}

const BOOKS: RecordTable<Book, 'isbn'> = defineTable({
  name: 'books',
  columns: {
    isbn: text,
    shelf: text,
    title: text,
    code: nullable(text),
    lentAt: nullable(integer),
    isRare: flag,
    tags: json,
  },
  key: ['isbn'],
  unique: [['code']],
  indexes: [
    { name: 'titles', columns: ['shelf', 'lentAt', 'title'], covers: ['isRare'], where: { lentAt: null } },
    { name: 'rare', columns: ['lentAt'], where: { isRare: true } },
  ],
  guards: undefined,
});

const DIALECT: SqlDialect = {
  quote: (name) => `"${name}"`,
  table: (name) => `"${name}"`,
  parameter: () => '?',
  isIn: (column, parameter) => `${column} IN ${parameter}`,
  list: (values) => values,
  contains: (column, parameter) => `${column} HAS ${parameter}`,
  isFlag: (column, isSet) => `${column} = ${isSet}`,
  writeFlag: (value) => value,
  readFlag: (value) => value === true,
  wholeNumber: (sum) => sum,
  joinKeepsSubqueryOrder: false,
  onTakenKey: () => 'ON TAKEN KEY',
  columnType: ({ type, isNullable }, _name, isKey) =>
    `${type}${isKey ? ' of a key' : ''}${isNullable ? '' : ' NOT NULL'}`,
  sequenceIsPrimaryKey: true,
  tableEnd: () => 'END',
  indexColumns: (columns, covers, compared) => `(${[...columns, ...covers, ...compared].join(', ')})`,
};

describe('migrationsTo', () => {
  it('creates a table with its keys, whose columns are marked as such, and its indexes with their conditions', () => {
    const [first] = migrationsTo([BOOKS], DIALECT);
    expect(first?.sql).to.deep.equal([
      `CREATE TABLE "books" ("isbn" text of a key NOT NULL, "shelf" text NOT NULL, "title" text NOT NULL, "code" text of a key, "lent_at" integer, "is_rare" flag NOT NULL, "tags" json NOT NULL, PRIMARY KEY ("isbn"), UNIQUE ("code")) END`,
      `CREATE INDEX books_titles ON "books" ("shelf", "lent_at", "title", "is_rare", "lent_at") WHERE "lent_at" IS NULL`,
      'CREATE INDEX books_rare ON "books" ("lent_at", "is_rare") WHERE "is_rare" = true',
    ]);
  });

  it('indexes all rows, and the beginnings of texts, if the dialect requires it', () => {
    const [first] = migrationsTo([BOOKS], {
      ...DIALECT,
      indexesAllRows: true,
      indexedText: (name, texts) => `${name}(${600 / texts})`,
    });
    expect(first?.sql.slice(1)).to.deep.equal([
      'CREATE INDEX books_titles ON "books" ("shelf"(300), "lent_at", "title"(300), "is_rare", "lent_at")',
      'CREATE INDEX books_rare ON "books" ("lent_at", "is_rare")',
    ]);
  });

  it('creates an index in the first version that has it', () => {
    const indexes = BOOKS.indexes.map((index) => (index.name === 'rare' ? { ...index, since: 2 } : index));
    const created = 'CREATE INDEX books_rare ON "books" ("lent_at", "is_rare") WHERE "is_rare" = true';
    const [first, second] = migrationsTo([{ ...BOOKS, indexes }], DIALECT);
    expect(first?.sql).to.have.lengthOf(2).and.not.include(created);
    expect(second?.sql).to.deep.equal([created]);
  });
});
