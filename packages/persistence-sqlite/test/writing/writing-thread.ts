import { writeInThread } from '../../src/writing/write-in-thread.ts';
import { THREAD_SCHEMA } from './thread-programs.ts';

/** Replaces the thread of the stores. */
writeInThread(THREAD_SCHEMA);
