import { STORE_SCHEMA } from '@pinfold/core/stores';
import { writeInThread } from './write-in-thread.ts';

writeInThread(STORE_SCHEMA);
