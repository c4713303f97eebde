import { databaseContract, LIBRARY } from '@pinfold/test-contracts/internal';
import { describeContract, describeDatabase } from '@pinfold/test-contracts/mocha';
import { openDatabase, openDatabaseWithThread } from './open-database.ts';

describeDatabase({ name: 'SQLite', open: openDatabase });

describeContract(databaseContract, {
  name: 'SQLite, written by a thread',
  create: () => openDatabaseWithThread(LIBRARY),
  // All that write: reads are the same, and each handle has to wait for its thread.
  clauses:
    /^database\/(harness-.*|insert-taken|errors|upsert|update|remove|sequence|many|caller|whole|own-writes|isolated|answered|exclusive|shared|overlapping|at-once|snapshot|unreachable|closed|lets-go|migrate)$/,
});
