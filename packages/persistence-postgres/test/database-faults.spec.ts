import { describeDatabaseFaults } from 'pinfold-test-faults';
import { openWith, PIPELINED } from './open-database.ts';

describeDatabaseFaults({ name: 'PostgreSQL', open: openWith(PIPELINED) });
