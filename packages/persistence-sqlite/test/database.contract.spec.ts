import { describeDatabase } from '@pinfold/test-contracts/mocha';
import { openDatabase, openDatabaseWithThread } from './open-database.ts';

describeDatabase({ name: 'SQLite', open: openDatabase });
describeDatabase({ name: 'SQLite, written by a thread', open: openDatabaseWithThread });
