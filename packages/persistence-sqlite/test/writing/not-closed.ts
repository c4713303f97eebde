import { setTimeout } from 'node:timers/promises';
import { SqliteDatabase } from '../../src/database/sqlite-database.ts';
import { SqliteConnection } from '../../src/engine/sqlite-connection.ts';
import { newWriter, untilReady } from './start-writer.ts';
import { NOTE, THREAD_SCHEMA } from './thread-programs.ts';

// Writes a text in its thread, if one is given, and closes nothing: the answer must arrive before the process ends, which
// it does by itself.
const [, , file = '', text] = process.argv;
const writer = newWriter(file);
const database = new SqliteDatabase(new SqliteConnection(file, async () => {}), THREAD_SCHEMA, { writer });
await database.migrate();
if (text === undefined) {
  // As long as a thread takes to start; a check whether it has started would already be a call.
  await setTimeout(1_500);
} else {
  await untilReady(writer);
  void database.write(NOTE, text).then((noted) => console.log(`answered ${noted}`));
}
