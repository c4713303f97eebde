import { describeDatabase } from '@pinfold/test-contracts/mocha';
import { openDatabase } from './open-database.ts';

describeDatabase({ name: 'SQLite', open: openDatabase });
