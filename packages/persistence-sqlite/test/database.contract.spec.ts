import { databaseContract, LIBRARY } from '@pinfold/test-contracts/internal';
import { describeContract, describeDatabase } from '@pinfold/test-contracts/mocha';
import { openDatabase, openDatabaseWithThread } from './open-database.ts';

describeDatabase({ name: 'SQLite', open: openDatabase });

describeContract(databaseContract, {
  name: 'SQLite, written by a thread',
  create: () => openDatabaseWithThread(LIBRARY),
  // What a thread could change: its steps are those without one, and each handle has to wait for its thread.
  clauses: /^database\/(errors|caller|whole|isolated|answered|exclusive|at-once|unreachable|closed|lets-go)$/,
});
