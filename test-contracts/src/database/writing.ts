import { isFault } from '@pinfold/core';
import { type Database, StepError } from '@pinfold/core/records';
import { expect } from 'chai';
import { rejectionOf } from '../rejection.ts';
import { ask, BY_CODE, type Command, inserting, run } from './commands.ts';
import type { DatabaseClauses } from './reading.ts';
import { aBook, type Book, isbnOf } from './tables.ts';

async function booksOf(database: Database): Promise<readonly Book[]> {
  const range = { order: ['isbn'] };
  return (await ask(database, { kind: 'find', range })) as readonly Book[];
}

function shelf(name: string, label: string | null, size = 1): Command {
  return { kind: 'upsert', table: 'shelves', row: { name, label, size } };
}

export const writeClauses: DatabaseClauses = {
  'database/insert-taken: a taken primary key or other key fails the whole program; null is never taken':
    async ({ port, peer }) => {
      await run(port, ...inserting(aBook(1, { code: 'one' }), aBook(2), aBook(3)));
      const before = await booksOf(port);
      const other = await peer();
      for (const taken of [aBook(1), aBook(5, { code: 'one' })]) {
        const failing = run(other, ...inserting(aBook(4), taken, aBook(6)));
        const reason = await rejectionOf(failing);
        expect(isFault(reason), 'a fault').to.equal(false);
        expect(reason).to.be.instanceOf(Error);
        expect(await booksOf(port)).to.deep.equal(before);
      }
      const taking: Command = { kind: 'update', key: { isbn: isbnOf(2) }, changes: { code: 'one' } };
      const freeing: Command = { kind: 'remove', key: { isbn: isbnOf(1) } };
      expect(await rejectionOf(run(other, taking, freeing)), 'free at the end').to.be.instanceOf(Error);
      await run(other, freeing, taking);
    },
  'database/errors: the error of a step names its program, table and key columns, and no value; its cause is the error of the database':
    async ({ port }) => {
      await run(port, ...inserting(aBook(1)));
      const error = (await rejectionOf(run(port, ...inserting(aBook(1))))) as StepError;
      expect(error).to.be.instanceOf(StepError);
      expect({ ...error }).to.deep.include({
        program: 'library.run',
        step: 'insert',
        table: 'books',
        columns: ['isbn'],
      });
      expect(error.message).to.include('library.run').and.not.include(isbnOf(1));
      expect(error.cause).to.be.instanceOf(Error);
    },
  'database/upsert: a row is inserted, or replaces every column of the row with its primary key; another taken key fails the program':
    async ({ port, peer }) => {
      const other = await peer();
      await run(port, shelf('A', 'first', 1), shelf('B', 'second', 2));
      await run(other, shelf('A', null, 3));
      for (const taken of [shelf('A', 'second'), shelf('C', 'second')])
        expect(await rejectionOf(run(other, taken)), 'a label that is taken').to.be.instanceOf(Error);
      const found = await ask(port, { kind: 'find', table: 'shelves', range: { order: ['name'] } });
      expect(found).to.deep.equal([
        { name: 'A', label: null, size: 3 },
        { name: 'B', label: 'second', size: 2 },
      ]);
    },
  'database/update: exactly the named columns of one row change; without the row nothing changes': async ({
    port,
    peer,
  }) => {
    await run(port, ...inserting(aBook(1, { note: { a: 1 }, lentAt: 5 }), aBook(2)));
    const [first, second] = await booksOf(port);
    const other = await peer();
    const changes = { title: 'new', lentAt: null, isRare: true, note: { b: [2] }, code: 'x' };
    await run(other, { kind: 'update', key: { isbn: isbnOf(1) }, changes });
    await run(other, { kind: 'update', key: { isbn: isbnOf(3) }, changes: { title: 'none' } });
    expect(await booksOf(port)).to.deep.equal([{ ...first, ...changes }, second]);
    expect(await port.peek(BY_CODE, 'x')).to.equal('new');
  },
  'database/remove: a row is removed, and its keys are free again; without the row nothing changes': async ({
    port,
    peer,
  }) => {
    await run(port, ...inserting(aBook(1, { code: 'one' }), aBook(2)));
    const other = await peer();
    const removing = (n: number): Command => ({ kind: 'remove', key: { isbn: isbnOf(n) } });
    await run(other, removing(1), removing(3));
    expect((await booksOf(port)).map(({ isbn }) => isbn)).to.deep.equal([isbnOf(2)]);
    await run(port, ...inserting(aBook(3, { code: 'one' })), removing(2), ...inserting(aBook(1), aBook(2)));
    expect((await booksOf(other)).map(({ isbn }) => isbn)).to.deep.equal([1, 2, 3].map(isbnOf));
  },
  'database/sequence: a row gets a greater number than every row of an acknowledged program, even after those rows were removed':
    async ({ port, peer }) => {
      const other = await peer();
      let last = 0;
      for (let n = 1; n < 8; n += 1) {
        const database = n % 2 === 0 ? other : port;
        if (n === 5) await run(database, { kind: 'remove', key: { isbn: isbnOf(4) } });
        await run(database, ...inserting(aBook(10 + n), aBook(n)));
        const { number } = (await ask(port, { kind: 'get', key: { isbn: isbnOf(n) } })) as Book;
        expect(number).to.be.above(last);
        last = number;
      }
      const numbers = (await booksOf(other)).map(({ number }) => number);
      expect(new Set(numbers).size).to.equal(numbers.length);
    },
  'database/all: the results of an `all` step are in the order of its steps, even nested and empty ones, and each step sees those before it':
    async ({ port }) => {
      const get = (n: number): Command => ({ kind: 'get', key: { isbn: isbnOf(n) } });
      const [results] = (await run(port, {
        kind: 'all',
        commands: [
          get(1),
          ...inserting(aBook(1)),
          { kind: 'aggregate' },
          {
            kind: 'all',
            commands: [{ kind: 'max', column: 'pages' }, { kind: 'all', commands: [] }, get(2)],
          },
          { kind: 'remove', key: { isbn: isbnOf(1) } },
          get(1),
        ],
      })) as readonly [readonly unknown[]];
      expect(results).to.deep.equal([
        undefined,
        undefined,
        { count: 1, sum: 0 },
        [101, [], undefined],
        undefined,
        undefined,
      ]);
    },
  'database/many: a program writes a thousand rows, and a step reads as many': async ({ port, peer }) => {
    const books = Array.from({ length: 1_000 }, (_, n) => aBook(n, { tags: [n] }));
    await run(port, { kind: 'all', commands: inserting(...books) });
    const found = await booksOf(await peer());
    expect(found.map(({ tags }) => tags)).to.deep.equal(books.map(({ tags }) => tags));
  },
  "database/caller: arguments and results are the caller's own: changes of them do not change the stored rows":
    async ({ port }) => {
      const book = aBook(1, { tags: [{ a: 1 }], note: { b: [2] } });
      const given = structuredClone(book);
      await run(port, ...inserting(given));
      Object.assign(given.tags[0] as object, { a: 9 });
      for (let n = 0; n < 2; n += 1) {
        const [found] = await booksOf(port);
        expect(found).to.deep.include(book);
        (found as { note: object }).note = Object.assign(found?.note as object, { b: 'spoiled' });
      }
    },
};
