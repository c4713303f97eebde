import { databaseContract, LIBRARY } from '@pinfold/test-contracts/internal';
import { describeContract, describeDatabase } from '@pinfold/test-contracts/mocha';
import { openDatabase, openDatabaseWithThread } from './open-database.ts';

describeDatabase({ name: 'SQLite', open: openDatabase });

describeContract(databaseContract, {
  name: 'SQLite, written by a thread',
  create: () => openDatabaseWithThread(LIBRARY),
  // Only what a thread could change: a thread runs the same steps, and each handle must wait for its thread.
  clauses: /^database\/(errors|caller|whole|isolated|answered|exclusive|at-once|unreachable|closed|lets-go)$/,
});
