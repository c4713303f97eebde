import { setTimeout } from 'node:timers/promises';
import { SqliteDatabase } from '../../src/database/sqlite-database.ts';
import { SqliteConnection } from '../../src/engine/sqlite-connection.ts';
import { newWriter, untilReady } from './start-writer.ts';
import { NOTE, THREAD_SCHEMA } from './thread-programs.ts';

// Asks its thread for something, if it is told what, and closes nothing: an answer has to come before the process ends, which
// it does by itself.
const [, , file = '', text] = process.argv;
const writer = newWriter(file);
const database = new SqliteDatabase(new SqliteConnection(file, async () => {}), THREAD_SCHEMA, { writer });
await database.migrate();
if (text === undefined) {
  // As long as a thread takes to be there; to ask whether it is would be to ask something.
  await setTimeout(1_500);
} else {
  await untilReady(writer);
  void database.write(NOTE, text).then((noted) => console.log(`answered ${noted}`));
}
