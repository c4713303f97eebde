import { threadId } from 'node:worker_threads';
import { Fault } from '@pinfold/core';
import {
  type DatabaseSchema,
  defineProgram,
  defineQuery,
  defineTable,
  find,
  insert,
  nothing,
  type RecordTable,
  text,
} from '@pinfold/core/records';

const NOTES: RecordTable<{ readonly text: string }, 'text'> = defineTable({
  name: 'notes',
  columns: { text },
  key: ['text'],
  guards: () => [],
});

/** Does nothing, in a transaction. */
export const NOTHING = defineProgram('test.nothing', { run: () => nothing });

/** Stores a text, which may exist only once. */
export const NOTE = defineProgram('test.note', {
  *run(text: string) {
    yield* insert(NOTES, { text });
    return text;
  },
});

/** Stores a text, and throws. */
export const REFUSE = defineProgram('test.refuse', {
  *run(text: string) {
    yield* insert(NOTES, { text });
    throw new Fault('archive_missing', 'refused by a test');
  },
});

/** Returns the id of the thread that ran it. */
export const WHERE = defineProgram('test.where', {
  *run() {
    yield* nothing;
    return threadId;
  },
});

/** Stores a text, and ends its thread. */
export const DIE = defineProgram('test.die', {
  *run(text: string) {
    yield* insert(NOTES, { text });
    return process.exit(1);
  },
});

/** All stored texts. */
export const NOTED = defineQuery('test.noted', function* () {
  return (yield* find(NOTES, {}, { order: ['text'] })).map((note) => note.text);
});

/** The programs of the thread of these tests. */
export const THREAD_SCHEMA: DatabaseSchema = {
  tables: [NOTES],
  programs: [NOTHING, NOTE, REFUSE, WHERE, DIE, NOTED],
};
