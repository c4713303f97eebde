import type { Database } from '@pinfold/core/records';
import { expect } from 'chai';
import { ask, type Command, inserting, run } from './commands.ts';
import type { DatabaseClauses } from './reading.ts';
import { aBook, type Book, isbnOf } from './tables.ts';

const TEXTS = [
  '',
  ' ',
  '!',
  '0',
  '10',
  '9',
  'A',
  'Z',
  'a',
  'a ',
  'aa',
  'b',
  '\u00e1',
  '\ufb01',
  '\uffee',
  '\u{1f9ed}',
];

async function isbnsIn(database: Database, command: object): Promise<readonly string[]> {
  const books = (await ask(database, { kind: 'find', ...command } as Command)) as readonly Book[];
  return books.map(({ isbn }) => isbn);
}

/** Forty books on two shelves, five of each size. */
const FORTY = Array.from({ length: 40 }, (_, n) =>
  aBook(n, { shelf: n % 2 === 0 ? 'A' : 'B', pages: n % 8, isRare: n % 5 === 0 }),
);

export const rangeClauses: DatabaseClauses = {
  'database/order: texts are ordered by code point, numbers by value, up and down, and by several columns':
    async ({ port }) => {
      const books = TEXTS.map((isbn, n) => aBook(n, { isbn, pages: (n * 7) % 16, dueAt: n % 3 }));
      await run(port, ...inserting(...books.toReversed()));
      const sorted = (order: readonly string[], descending: boolean) =>
        isbnsIn(port, { range: { order, descending } });
      expect(await sorted(['isbn'], false)).to.deep.equal(TEXTS);
      expect(await sorted(['isbn'], true)).to.deep.equal(TEXTS.toReversed());
      const byPages = books.toSorted((one, other) => one.pages - other.pages).map(({ isbn }) => isbn);
      expect(await sorted(['pages'], false)).to.deep.equal(byPages);
      const byBoth = [0, 1, 2].flatMap((dueAt) => books.filter((book) => book.dueAt === dueAt));
      expect(await sorted(['dueAt', 'isbn'], false)).to.deep.equal(byBoth.map(({ isbn }) => isbn));
      expect(await sorted(['dueAt', 'isbn'], true)).to.deep.equal(
        byBoth.map(({ isbn }) => isbn).toReversed(),
      );
    },
  'database/after: pages after a place give every row once, even rows that are equal in the first column, up and down':
    async ({ port }) => {
      await run(port, ...inserting(...FORTY));
      for (const descending of [false, true]) {
        const walked: Book[] = [];
        for (let page: readonly Book[] = []; walked.length === 0 || page.length > 0; walked.push(...page)) {
          const last = walked.at(-1);
          const after = last && { pages: last.pages, isbn: last.isbn };
          const range = { order: ['pages', 'isbn'], descending, after, limit: 3 };
          page = (await ask(port, { kind: 'find', where: { shelf: 'A' }, range })) as readonly Book[];
          expect(page.length).to.be.at.most(3);
          expect(walked.length, 'the walk does not end').to.be.at.most(FORTY.length);
          if (page.length === 0) break;
        }
        const expected = FORTY.filter(({ shelf }) => shelf === 'A')
          .toSorted((one, other) => one.pages - other.pages || (one.isbn < other.isbn ? -1 : 1))
          .map(({ isbn }) => isbn);
        expect(walked.map(({ isbn }) => isbn)).to.deep.equal(descending ? expected.toReversed() : expected);
      }
    },
  'database/limit: a limit bounds a range, and an offset leaves out its first rows': async ({ port }) => {
    await run(port, ...inserting(...FORTY));
    const order = ['isbn'];
    const numbers = (...all: readonly number[]) => all.map(isbnOf);
    expect(await isbnsIn(port, { range: { order, limit: 2 } })).to.deep.equal(numbers(0, 1));
    expect(await isbnsIn(port, { range: { order, limit: 2, offset: 3 } })).to.deep.equal(numbers(3, 4));
    expect(await isbnsIn(port, { range: { order, limit: 5, offset: 38 } })).to.deep.equal(numbers(38, 39));
    expect(await isbnsIn(port, { range: { order, limit: 5, offset: 40 } })).to.deep.equal([]);
    expect(await isbnsIn(port, { range: { order, limit: 0 } })).to.deep.equal([]);
  },
  'database/select: a range returns exactly the named columns': async ({ port }) => {
    await run(port, ...inserting(aBook(1, { tags: ['x'], isRare: true })));
    const range = { select: ['tags', 'isRare', 'lentAt'] };
    expect(await ask(port, { kind: 'find', range })).to.deep.equal([
      { tags: ['x'], isRare: true, lentAt: null },
    ]);
  },
  'database/scan: a scan returns the rows that pass its filter, in pages that may be short, and where it stopped: walking them gives every row once':
    async ({ port }) => {
      await run(port, ...inserting(...FORTY));
      const range = { order: ['isbn'], limit: 30, maxScanned: 41, mayScanMore: false, select: ['isbn'] };
      const ended = await ask(port, { kind: 'scan', filter: { isbn: isbnOf(7) }, range });
      expect(ended, 'at the end').to.deep.equal({ rows: [{ isbn: isbnOf(7) }], scannedTo: undefined });
      const full = await ask(port, { kind: 'scan', filter: {}, range: { ...range, limit: 1 } });
      expect(full, 'at its limit').to.deep.equal({ rows: [{ isbn: isbnOf(0) }], scannedTo: undefined });
      const passing = FORTY.filter(({ shelf, isRare }) => shelf === 'A' && isRare)
        .toSorted((one, other) => one.pages - other.pages || (one.isbn < other.isbn ? -1 : 1))
        .map(({ isbn }) => isbn);
      for (const [mayScanMore, select, filter] of [
        [false, undefined, { isRare: true }],
        [true, ['isbn', 'pages'], { either: [{ isRare: true }, { pages: -1 }] }],
      ] as const) {
        const walked: string[] = [];
        let after: unknown;
        do {
          const range = { order: ['pages', 'isbn'], after, limit: 3, maxScanned: 7, mayScanMore, select };
          const { rows, scannedTo } = (await ask(port, {
            kind: 'scan',
            where: { shelf: 'A' },
            filter,
            range,
          })) as {
            readonly rows: readonly Book[];
            readonly scannedTo: unknown;
          };
          expect(rows.length).to.be.at.most(3);
          walked.push(...rows.map(({ isbn }) => isbn));
          const last = rows.at(-1);
          after = rows.length === 3 && last ? { pages: last.pages, isbn: last.isbn } : scannedTo;
        } while (after !== undefined);
        expect(walked).to.deep.equal(passing);
      }
    },
  'database/aggregate: rows are counted, and a column is summed beyond 32 bits; without rows both are 0':
    async ({ port }) => {
      const big = 2 ** 40 + 1;
      const books = [big, big, -5].map((pages, n) => aBook(n, { pages, lentAt: n === 0 ? 7 : null }));
      await run(port, ...inserting(...books));
      const totals = (where: object, sum?: string) => ask(port, { kind: 'aggregate', where, sum } as Command);
      expect(await totals({}, 'pages')).to.deep.equal({ count: 3, sum: 2 * big - 5 });
      expect(await totals({ pages: big })).to.deep.equal({ count: 2, sum: 0 });
      expect(await totals({}, 'lentAt')).to.deep.equal({ count: 3, sum: 7 });
      expect(await totals({ shelf: 'B' }, 'pages')).to.deep.equal({ count: 0, sum: 0 });
    },
  'database/max: the greatest number in a column is found, and 0 without rows': async ({ port }) => {
    await run(port, ...inserting(aBook(1, { pages: -9, lentAt: 5 }), aBook(2, { pages: -3 })));
    const max = (where: Readonly<Record<string, unknown>>, column: string) =>
      ask(port, { kind: 'max', where, column });
    expect(await max({}, 'pages')).to.equal(-3);
    expect(await max({}, 'lentAt')).to.equal(5);
    expect(await max({ isbn: isbnOf(2) }, 'lentAt')).to.equal(0);
    expect(await max({ shelf: 'B' }, 'pages')).to.equal(0);
  },
  'database/distinct: each different text of a column is returned once, in order, after a place and up to a limit':
    async ({ port }) => {
      const codes = ['b', null, 'a ', 'a', 'B', '\u{1f9ed}', '\uffee'];
      await run(
        port,
        ...inserting(...FORTY),
        ...inserting(...codes.map((code, n) => aBook(100 + n, { code }))),
      );
      const distinct = (column: string, range: Readonly<Record<string, unknown>>, where = {}) =>
        ask(port, { kind: 'distinct', where, column, range } as Command);
      expect(await distinct('shelf', { limit: 10 })).to.deep.equal(['A', 'B']);
      expect(await distinct('code', { limit: 10 })).to.deep.equal([
        'B',
        'a',
        'a ',
        'b',
        '\uffee',
        '\u{1f9ed}',
      ]);
      expect(await distinct('code', { after: 'a', limit: 2 })).to.deep.equal(['a ', 'b']);
      expect(await distinct('shelf', { limit: 10 }, { isRare: true, pages: 1 })).to.deep.equal(['B']);
    },
};
