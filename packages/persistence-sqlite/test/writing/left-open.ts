import { SqliteDatabase } from '../../src/database/sqlite-database.ts';
import { SqliteConnection } from '../../src/engine/sqlite-connection.ts';
import { newWriter, untilReady } from './start-writer.ts';
import { NOTE, THREAD_SCHEMA } from './thread-programs.ts';

// Asks its thread for something, and closes nothing: the answer has to come before the process ends, which it does by itself.
const [, , file = ''] = process.argv;
const writer = newWriter(file);
const database = new SqliteDatabase(new SqliteConnection(file, async () => {}), THREAD_SCHEMA, { writer });
await database.migrate();
await untilReady(writer);
void database.write(NOTE, 'a').then((text) => console.log(`answered ${text}`));
