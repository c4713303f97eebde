import { LIBRARY } from '@pinfold/test-contracts/internal';
import { writeInThread } from '../../src/writing/write-in-thread.ts';

/** A thread with the programs of the contract suite of a database. */
writeInThread(LIBRARY);
