import type { Database } from '@pinfold/core/records';
import { expect } from 'chai';
import type { ClauseTable, StoreSubject } from '../contract.ts';
import { ask, BY_CODE, BY_ISBN, type Command, inserting, RUN, run } from './commands.ts';
import { aBook, type Book, isbnOf, type NewBook } from './tables.ts';

export type DatabaseClauses = ClauseTable<Database, StoreSubject<Database>>;

const SHELF = { name: 'A', label: 'Poetry', size: 20 };

/** The longest text in a key. */
const MAX_TEXT = '\u{1f9ed}'.repeat(255);

/** Books with values that a database may change. */
const UNUSUAL: readonly NewBook[] = [
  aBook(1, { title: '', tags: [], note: {}, lentAt: 0 }),
  aBook(2, { title: ' a ', pages: Number.MAX_SAFE_INTEGER, isRare: true, code: '' }),
  aBook(3, { title: 'x'.repeat(200_000), pages: Number.MIN_SAFE_INTEGER, lentAt: -1 }),
  aBook(4, { title: 'a\u0301 \u{1f9ed} \uffff \\ \' " %_*$1 ?\n\t', dueAt: 1 }),
  aBook(5, {
    tags: [null, [1.5, -0.25, 1e21], { a: { b: ['\u{1f4da}', true] } }, ''],
    note: { '': null, __x: 0 },
  }),
  aBook(6, { title: 'null', tags: ['null'], note: { note: 'null' }, code: 'undefined' }),
  aBook(7, { isbn: MAX_TEXT, shelf: MAX_TEXT, code: MAX_TEXT }),
];

async function booksIn(database: Database, command: Partial<Command> = {}): Promise<readonly Book[]> {
  return (await ask(database, { kind: 'find', ...command } as Command)) as readonly Book[];
}

async function numbersIn(database: Database, command: Partial<Command>): Promise<readonly number[]> {
  return (await booksIn(database, command)).map(({ isbn }) => Number(isbn.slice('isbn-'.length)));
}

function withoutNumber({ number: _, ...book }: Book): NewBook {
  return book;
}

export const getClauses: DatabaseClauses = {
  'database/get: a row is found by its primary key, every column as stored': async ({ port, peer }) => {
    await port.write(RUN, { commands: inserting(...UNUSUAL), shelves: ['A', MAX_TEXT] });
    const other = await peer();
    for (const book of UNUSUAL) {
      const found = (await ask(other, { kind: 'get', key: { isbn: book.isbn } })) as Book;
      expect(withoutNumber(found)).to.deep.equal(book);
      expect(found.number).to.be.a('number').and.above(0);
    }
  },
  'database/get-absent: a missing row is undefined': async ({ port }) => {
    expect(await ask(port, { kind: 'get', key: { isbn: 'none' } })).to.equal(undefined);
    const references = { shelf: ['name'] };
    expect(await ask(port, { kind: 'get', key: { isbn: 'none' }, references })).to.equal(undefined);
    expect(await port.peek(BY_ISBN, 'none')).to.equal(undefined);
  },
  'database/get-with: a row comes with the rows that it refers to, and with undefined for a missing one':
    async ({ port, peer }) => {
      const shelf: Command = { kind: 'insert', table: 'shelves', row: SHELF };
      await run(port, shelf, ...inserting(aBook(1), aBook(2, { shelf: 'B' })));
      const other = await peer();
      const get = async (n: number): Promise<unknown> => {
        const key = { isbn: isbnOf(n) };
        const all = { shelf: ['name', 'label', 'size'] };
        const { row, references } = (await ask(other, { kind: 'get', key, references: all })) as {
          readonly row: Book;
          readonly references: unknown;
        };
        return { row: withoutNumber(row), references };
      };
      expect(await get(1)).to.deep.equal({ row: aBook(1), references: { shelf: SHELF } });
      expect(await get(2)).to.deep.equal({
        row: aBook(2, { shelf: 'B' }),
        references: { shelf: undefined },
      });
    },
  'database/get-part: a read returns only the selected columns of a row and of those that it refers to, even without their keys':
    async ({ port, peer }) => {
      const shelf: Command = { kind: 'insert', table: 'shelves', row: SHELF };
      await run(port, shelf, ...inserting(aBook(1), aBook(2, { shelf: 'B' })));
      const other = await peer();
      const [select, references] = [['title', 'isRare'], { shelf: ['size'] }];
      const get = (n: number, more: object): Promise<unknown> =>
        ask(other, { kind: 'get', key: { isbn: isbnOf(n) }, select, ...more });
      const [first, second] = [1, 2].map((n) => ({ title: `Title ${n}`, isRare: false }));
      expect(await get(1, {})).to.deep.equal(first);
      expect(await get(1, { references: {} })).to.deep.equal({ row: first, references: {} });
      expect(await get(1, { references })).to.deep.equal({
        row: first,
        references: { shelf: { size: SHELF.size } },
      });
      expect(await get(2, { references })).to.deep.equal({ row: second, references: { shelf: undefined } });
    },
  'database/peek: a value is looked up by a primary key and by another key, with the rows that it refers to':
    async ({ port, peer }) => {
      const shelf: Command = { kind: 'insert', table: 'shelves', row: SHELF };
      await run(port, shelf, ...inserting(aBook(1, { code: 'one' }), aBook(2, { shelf: 'B', code: 'ONE' })));
      const other = await peer();
      const [first, second] = [await other.peek(BY_ISBN, isbnOf(1)), await other.peek(BY_ISBN, isbnOf(2))];
      expect(first?.book.title).to.equal('Title 1');
      expect(first?.shelf).to.deep.equal(SHELF);
      expect(second?.shelf).to.equal(undefined);
      expect(await other.peek(BY_CODE, 'one')).to.equal('Title 1');
      expect(await other.peek(BY_CODE, 'ONE')).to.equal('Title 2');
    },
  'database/texts: texts are equal only if all their characters are: letter case, marks, normal forms and spaces count':
    async ({ port, peer }) => {
      const long = MAX_TEXT.slice(2);
      const texts = [
        `${long}a`,
        `${long}b`,
        'a',
        'A',
        'a ',
        ' a',
        '\u00e1',
        'a\u0301',
        'A\u0301',
        '\uff41',
        'ss',
        '\u00df',
        '',
        ' ',
      ];
      const books = texts.map((isbn, n) => aBook(n, { isbn, title: isbn, code: isbn }));
      await run(port, ...inserting(...books));
      const other = await peer();
      for (const [n, text] of texts.entries()) {
        for (const where of [
          { isbn: text },
          { title: text },
          { code: { operator: 'in', operand: [text] } },
        ]) {
          const found = await booksIn(other, { where });
          expect(
            found.map(({ pages }) => pages),
            JSON.stringify(where),
          ).to.deep.equal([100 + n]);
        }
      }
    },
};

/** Books 1 to 6 are lent at 10, 20 … 60, 7 and 8 are not; each is due five later, or every third one five earlier. */
const LENT: readonly NewBook[] = Array.from({ length: 8 }, (_, n) =>
  aBook(n + 1, {
    lentAt: n < 6 ? 10 * (n + 1) : null,
    dueAt: n === 7 ? null : 10 * (n + 1) + (n % 3 === 2 ? -5 : 5),
    isRare: n % 2 === 0,
    title: ['a_b', 'a%b', 'aXb', 'A_B', '', 'b', 'ab', '\\'][n] as string,
  }),
);
const BY_NUMBER = { order: ['isbn'] };

export const conditionClauses: DatabaseClauses = {
  'database/comparisons: comparisons find exactly the rows that satisfy them, even several of one column, and an undefined one finds all; null satisfies no comparison, and equals null':
    async ({ port, peer }) => {
      await run(port, ...inserting(...LENT));
      const other = await peer();
      const found = (where: object) => numbersIn(other, { where, range: BY_NUMBER } as Partial<Command>);
      expect(await found({})).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(await found({ lentAt: undefined })).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(await found({ lentAt: { operator: 'lt', operand: 30 } })).to.deep.equal([1, 2]);
      expect(await found({ lentAt: { operator: 'lte', operand: 30 } })).to.deep.equal([1, 2, 3]);
      expect(await found({ lentAt: { operator: 'gt', operand: 30 } })).to.deep.equal([4, 5, 6]);
      expect(await found({ lentAt: { operator: 'gte', operand: 30 } })).to.deep.equal([3, 4, 5, 6]);
      expect(await found({ lentAt: null })).to.deep.equal([7, 8]);
      expect(await found({ lentAt: { operator: 'not_null' } })).to.deep.equal([1, 2, 3, 4, 5, 6]);
      expect(await found({ lentAt: 20, isRare: false })).to.deep.equal([2]);
      expect(await found({ lentAt: 20, isRare: true })).to.deep.equal([]);
      const between = [
        { operator: 'gte', operand: 20 },
        { operator: 'lt', operand: 50 },
      ];
      expect(await found({ lentAt: between, isRare: true })).to.deep.equal([3]);
    },
  'database/either: one alternative is enough, beside conditions that must all hold': async ({ port }) => {
    await run(port, ...inserting(...LENT));
    const either = [
      { lentAt: null },
      { lentAt: { operator: 'gt', operand: 40 }, isRare: true },
      { pages: 101 },
    ];
    const found = (where: object) => numbersIn(port, { where, range: BY_NUMBER } as Partial<Command>);
    expect(await found({ either })).to.deep.equal([1, 5, 7, 8]);
    expect(await found({ either, isRare: true })).to.deep.equal([1, 5, 7]);
  },
  'database/columns: columns of one row are compared with each other': async ({ port }) => {
    await run(port, ...inserting(...LENT));
    const found = (operator: string) =>
      numbersIn(port, {
        where: { dueAt: { operator, column: 'lentAt' } },
        range: BY_NUMBER,
      } as Partial<Command>);
    expect(await found('gte')).to.deep.equal([1, 2, 4, 5]);
    expect(await found('lt')).to.deep.equal([3, 6]);
  },
  'database/in: a list of texts finds the rows of each, with none, one and a thousand texts': async ({
    port,
  }) => {
    await run(port, ...inserting(...LENT));
    const found = (operand: readonly string[]) =>
      numbersIn(port, { where: { isbn: { operator: 'in', operand } }, range: BY_NUMBER } as Partial<Command>);
    expect(await found([])).to.deep.equal([]);
    expect(await found([isbnOf(3)])).to.deep.equal([3]);
    expect(await found([isbnOf(3), "'", isbnOf(5), isbnOf(3), '"],['])).to.deep.equal([3, 5]);
    expect(await found(Array.from({ length: 1_000 }, (_, n) => isbnOf(1_003 - n)))).to.deep.equal([
      4, 5, 6, 7, 8,
    ]);
  },
  'database/contains: a text is found in another one literally': async ({ port }) => {
    await run(port, ...inserting(...LENT));
    const found = (operand: string) =>
      numbersIn(port, {
        where: { title: { operator: 'contains', operand } },
        range: BY_NUMBER,
      } as Partial<Command>);
    expect(await found('_')).to.deep.equal([1, 4]);
    expect(await found('%')).to.deep.equal([2]);
    expect(await found('a')).to.deep.equal([1, 2, 3, 7]);
    expect(await found('\\')).to.deep.equal([8]);
    expect(await found('')).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
  },
};
