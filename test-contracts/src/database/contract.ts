import type { Database } from '@pinfold/core/records';
import { expect } from 'chai';
import { type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { harnessClauses } from '../harness.ts';
import { ask, type Command, inserting, run } from './commands.ts';
import { lifeClauses } from './life.ts';
import { programClauses } from './programs.ts';
import { rangeClauses } from './ranges.ts';
import { conditionClauses, type DatabaseClauses, getClauses } from './reading.ts';
import { aBook, isbnOf } from './tables.ts';
import { writeClauses } from './writing.ts';

const SHELF = { name: 'A', label: null, size: 1 };
const SHELF_A: Command = { kind: 'get', table: 'shelves', key: { name: 'A' } };

/** The first clause for a new engine, with steps in the order in which an engine is written. */
const firstSteps: DatabaseClauses = {
  'database/harness-open: a database that was opened has its tables, stores a row of each, and finds them again':
    async ({ port, peer }) => {
      await step('check() rejects. Let `open` call migrate() before it returns', () => port.check());
      const { version, newest } = await step('examine() rejects', () => port.examine());
      expect(
        version,
        'examine() finds no schema, or an old one. `open` calls migrate(), which creates the tables, stores the state that planMigrations reached, and commits both',
      ).to.equal(newest);
      await step(
        'write() rejects a program without a step. Run `program.run(args)` by runAtOnce or runByPromises, in a transaction',
        () => run(port),
      );
      await step(
        'write() rejects a program that inserts one row, without a sequence. Compare the statement of SqlCompiler with the table that migrate() made',
        () => run(port, { kind: 'insert', table: 'shelves', row: SHELF }),
      );
      await step(
        'write() rejects a program that inserts a row with a sequence, a flag and JSON. Look at `columnType`, `writeFlag` and the sequence of the dialect',
        () => run(port, ...inserting(aBook(1))),
      );
      const found = await step('read() rejects a query that reads one row', () => ask(port, SHELF_A));
      expect(
        Object.values(found ?? {}).filter((value) => typeof value === 'bigint'),
        'read() gives numbers as bigint. Set the option of the driver that makes them numbers',
      ).to.deep.equal([]);
      expect(
        found,
        'read() gives another row than was inserted. Rows have the names that the statement gives its columns',
      ).to.deep.equal(SHELF);
      const key = { isbn: isbnOf(1) };
      await step('read() rejects a query that reads a flag. Look at `readFlag`', () =>
        ask(port, { kind: 'get', key, select: ['isRare'] }),
      );
      const book = await step(
        'read() rejects a query that reads JSON. JSON has to come as a text: many drivers parse it',
        () => ask(port, { kind: 'get', key }),
      );
      expect(book, 'read() gives another row than was inserted').to.deep.include(aBook(1));
      const other = await step('peer() rejects', () => peer());
      expect(
        await step('read() of a peer rejects', () => ask(other, SHELF_A)),
        'a peer does not see a row that was written: the write is not committed, or the peer has another database',
      ).to.deep.equal(SHELF);
    },
};

/** Runs one step; if it fails, adds advice to the error. */
async function step<Result>(advice: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? messagesOf(error) : String(error);
    throw new Error(`${advice}. It failed with: ${reason}`, { cause: error });
  }
}

/** An error's message with those of its causes, which include the database's. */
function messagesOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${messagesOf(cause)}` : message;
}

/** The clauses of every `Database`, over two small tables. */
export const databaseContract: Contract<Database, StoreSubject<Database>> = {
  port: 'Database',
  harness: [
    ...toClauses(firstSteps),
    ...harnessClauses<Database, StoreSubject<Database>>('database', {
      write: async (database, n) => {
        await run(database, ...inserting(aBook(n)));
      },
      sees: async (database, n) =>
        (await ask(database, { kind: 'get', key: { isbn: isbnOf(n) } })) !== undefined,
    }),
  ],
  clauses: toClauses({
    ...getClauses,
    ...conditionClauses,
    ...rangeClauses,
    ...writeClauses,
    ...programClauses,
    ...lifeClauses,
  }),
};
