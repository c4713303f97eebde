import { describeDatabaseFaults } from 'pinfold-test-faults';
import { openDatabase } from './open-database.ts';

describeDatabaseFaults({ name: 'SQLite', open: openDatabase });
