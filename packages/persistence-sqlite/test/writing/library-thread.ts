import { LIBRARY } from '@pinfold/test-contracts/internal';
import { writeInThread } from '../../src/writing/write-in-thread.ts';

/** A thread that knows the programs of the suite of a database. */
writeInThread(LIBRARY);
