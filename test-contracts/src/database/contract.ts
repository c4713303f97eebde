import type { Database } from '@pinfold/core/records';
import { type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { harnessClauses } from '../harness.ts';
import { ask, inserting, run } from './commands.ts';
import { firstSteps } from './first-steps.ts';
import { lifeClauses } from './life.ts';
import { programClauses } from './programs.ts';
import { rangeClauses } from './ranges.ts';
import { conditionClauses, getClauses } from './reading.ts';
import { aBook, isbnOf } from './tables.ts';
import { writeClauses } from './writing.ts';

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
