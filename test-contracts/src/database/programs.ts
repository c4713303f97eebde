import type { Database } from '@pinfold/core/records';
import { expect } from 'chai';
import { meanwhile, together } from '../concurrently.ts';
import { rejectionOf } from '../rejection.ts';
import { ASK, ask, BY_ISBN, type Command, inserting, RUN, run, type Work } from './commands.ts';
import type { DatabaseClauses } from './reading.ts';
import { aBook, type Book, isbnOf } from './tables.ts';

const AT_ONCE = 12;
/** How often a program reads the same rows, so that another one has time to change them. */
const READINGS = 8;
const ALL_BOOKS: Command = { kind: 'find', range: { order: ['isbn'] } };

async function pagesOf(database: Database, n: number): Promise<number | undefined> {
  return ((await ask(database, { kind: 'get', key: { isbn: isbnOf(n) } })) as Book | undefined)?.pages;
}

function setting(n: number, pages: number): Command {
  return { kind: 'update', key: { isbn: isbnOf(n) }, changes: { pages } };
}

function adding(n: number, pages: number): Command {
  return { kind: 'add pages', isbn: isbnOf(n), pages };
}

/** Every book has the pages of the first one. */
function expectAlike(books: unknown): void {
  const pages = (books as readonly Book[]).map((book) => book.pages);
  expect(new Set(pages).size, `pages: ${pages}`).to.be.at.most(1);
}

export const programClauses: DatabaseClauses = {
  'database/whole: a program that throws, or fails in a later step, leaves none of its writes': async ({
    port,
    peer,
  }) => {
    await run(port, ...inserting(aBook(1, { code: 'one' }), aBook(2)));
    const before = await ask(port, ALL_BOOKS);
    const changes: readonly Command[] = [
      ...inserting(aBook(3)),
      setting(1, 0),
      { kind: 'remove', key: { isbn: isbnOf(2) } },
    ];
    const thrown = await rejectionOf(run(port, ...changes, { kind: 'throw', message: 'on purpose' }));
    expect((thrown as Error).message).to.equal('on purpose');
    await rejectionOf(run(port, ...changes, ALL_BOOKS, ...inserting(aBook(4, { code: 'one' }))));
    expect(await ask(port, ALL_BOOKS)).to.deep.equal(before);
    expect(await ask(await peer(), ALL_BOOKS)).to.deep.equal(before);
    await run(port, setting(1, 5));
    expect(await pagesOf(port, 1), 'the next program').to.equal(5);
  },
  'database/own-writes: a program sees its own writes, by every kind of step': async ({ port }) => {
    await run(port, ...inserting(aBook(1), aBook(2)));
    const [, , , book, gone, rows, totals, max, distinct] = await run(
      port,
      ...inserting(aBook(3, { pages: 7, code: 'c' })),
      setting(1, 900),
      { kind: 'remove', key: { isbn: isbnOf(2) } },
      { kind: 'get', key: { isbn: isbnOf(1) } },
      { kind: 'get', key: { isbn: isbnOf(2) } },
      { kind: 'find', where: { pages: [{ operator: 'lt', operand: 500 }] }, range: { select: ['isbn'] } },
      { kind: 'aggregate', sum: 'pages' },
      { kind: 'max', column: 'pages' },
      { kind: 'distinct', column: 'code', range: { limit: 9 } },
    );
    expect((book as Book | undefined)?.pages).to.equal(900);
    expect(gone).to.equal(undefined);
    expect([rows, totals, max, distinct]).to.deep.equal([
      [{ isbn: isbnOf(3) }],
      { count: 2, sum: 907 },
      900,
      ['c'],
    ]);
  },
  'database/isolated: others see all writes of a program, or none of them': async ({ port, peer }) => {
    await run(port, ...inserting(...Array.from({ length: 6 }, (_, n) => aBook(n, { pages: 0 }))));
    const reader = await peer();
    const writing = (async () => {
      for (let pages = 1; pages <= AT_ONCE; pages += 1) {
        const commands = Array.from({ length: 6 }, (_, n) => [setting(n, pages), ALL_BOOKS]).flat();
        await run(port, ...commands);
      }
    })();
    await meanwhile(writing, async () => expectAlike(await ask(reader, ALL_BOOKS)));
    expect(await pagesOf(reader, 5)).to.equal(AT_ONCE);
  },
  'database/answered: every peer sees acknowledged writes at its next read, even of rows that it had looked up before':
    async ({ port, peer }) => {
      await run(port, ...inserting(aBook(1, { pages: 0 })));
      const handles = [port, await peer(), await peer()];
      for (let pages = 1; pages <= AT_ONCE; pages += 1) {
        await run(handles[pages % 3] as Database, setting(1, pages));
        for (const handle of handles) {
          const command: Command = { kind: 'get', key: { isbn: isbnOf(1) } };
          const [book] = (await handle.snapshot(ASK, { commands: [command] })) as readonly [Book];
          expect(book.pages).to.equal(pages);
          expect(await pagesOf(handle, 1)).to.equal(pages);
          expect((await handle.peek(BY_ISBN, isbnOf(1)))?.book.pages).to.equal(pages);
        }
      }
      await run(port, { kind: 'remove', key: { isbn: isbnOf(1) } });
      for (const handle of handles) expect(await handle.peek(BY_ISBN, isbnOf(1))).to.equal(undefined);
    },
  'database/exclusive: each program that holds one lock exclusively sees the writes of all programs that held it before, over all peers':
    async (subject) => {
      await run(subject.port, ...inserting(aBook(1, { pages: 0 })));
      const results = await together(subject, 3 * AT_ONCE, (port) =>
        port.write(RUN, { commands: [adding(1, 1)], shelves: ['A'] }),
      );
      const pages = results.flat().map(Number);
      expect(pages.toSorted((one, other) => one - other)).to.deep.equal(
        Array.from({ length: 3 * AT_ONCE }, (_, n) => n + 1),
      );
      expect(await pagesOf(subject.port, 1)).to.equal(3 * AT_ONCE);
    },
  'database/shared: rows that a program reads under a shared lock do not change until its end': async (
    subject,
  ) => {
    await run(subject.port, ...inserting(aBook(1, { pages: 0 }), aBook(2, { shelf: 'B' })));
    const get: Command = { kind: 'get', key: { isbn: isbnOf(1) } };
    const results = await together(subject, 3 * AT_ONCE, (port, n) => {
      const work: Work =
        n % 3 === 0
          ? { commands: [adding(1, 1)], shelves: ['A'] }
          : { commands: Array.from({ length: READINGS }, () => get), shared: ['A'] };
      return port.write(RUN, work);
    });
    const readings = results.filter((result) => result.length === READINGS);
    expect(readings).to.have.length(2 * AT_ONCE);
    for (const [first, ...later] of readings) expect(later).to.deep.equal(later.map(() => first));
  },
  'database/overlapping: programs that request many common locks in any order all end': async (subject) => {
    const shelves = Array.from({ length: 10 }, (_, n) => `S${n}`);
    const books = shelves.map((shelf, n) => aBook(n, { shelf, pages: 0 }));
    await subject.port.write(RUN, { commands: inserting(...books), shelves });
    const rotated = (n: number) => [...shelves.slice(n % 10), ...shelves.slice(0, n % 10)];
    await together(subject, 3 * AT_ONCE, (port, n) => {
      const own = n % 2 === 0 ? rotated(n) : rotated(n).toReversed();
      const commands = own.slice(0, 5).map((shelf) => adding(shelves.indexOf(shelf), 1));
      return port.write(RUN, { commands, shelves: own.slice(0, 5), shared: own.slice(5) });
    });
    const found = (await ask(subject.port, ALL_BOOKS)) as readonly Book[];
    expect(found.reduce((sum, { pages }) => sum + pages, 0)).to.equal(5 * 3 * AT_ONCE);
  },
  'database/at-once: concurrent calls of one handle are each answered as if they were alone': async ({
    port,
  }) => {
    await run(port, ...inserting(...Array.from({ length: 20 }, (_, n) => aBook(n))));
    const failing: Command = { kind: 'throw', message: 'alone' };
    const calls = Array.from({ length: 20 }, (_, n) => [
      pagesOf(port, n),
      port.write(RUN, { commands: [setting(n, n), ...(n % 4 === 0 ? [failing] : [])], shelves: ['A'] }).then(
        () => 'written',
        (reason: Error) => reason.message,
      ),
      ask(port, { kind: 'get', key: { isbn: 'none' } }),
    ]);
    const answers = await Promise.all(calls.map((all) => Promise.all(all)));
    answers.forEach(([pages, written, none], n) => {
      expect(pages).to.be.oneOf([100 + n, n]);
      expect(written).to.equal(n % 4 === 0 ? 'alone' : 'written');
      expect(none).to.equal(undefined);
    });
    const found = (await ask(port, ALL_BOOKS)) as readonly Book[];
    expect(found.map(({ pages }) => pages)).to.deep.equal(found.map((_, n) => (n % 4 === 0 ? 100 + n : n)));
  },
  'database/snapshot: all steps of a snapshot see one state, and others do not wait for it': async ({
    port,
    peer,
  }) => {
    await run(port, ...inserting(...Array.from({ length: 4 }, (_, n) => aBook(n, { pages: 0 }))));
    const reader = await peer();
    const opened = await reader.openSnapshot();
    try {
      const gets = Array.from({ length: 4 }, (_, n): Command => ({ kind: 'get', key: { isbn: isbnOf(n) } }));
      const compare = async () => expectAlike(await reader.snapshot(ASK, { commands: gets }));
      // Once before, since an engine may have to connect first, and all writes would end meanwhile.
      await compare();
      const writing = (async () => {
        for (let pages = 1; pages <= AT_ONCE; pages += 1) {
          await run(port, ...Array.from({ length: 4 }, (_, n) => setting(n, pages)));
        }
      })();
      await meanwhile(writing, compare);
      const books: Book[] = [];
      for (const command of gets) {
        books.push(...((await opened.read(ASK, { commands: [command] })) as readonly Book[]));
      }
      const pages = books.map((book) => book.pages);
      expect(pages, 'the opened one').to.deep.equal([0, 0, 0, 0]);
    } finally {
      await opened.close();
    }
    await opened.close();
    expect(await pagesOf(reader, 3)).to.equal(AT_ONCE);
  },
};
