import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { raceSignal } from '@pinfold/core/adapter';
import type { Database, DatabaseSchema } from '@pinfold/core/records';
import type { StoreSubject } from '@pinfold/test-contracts';
import { RUN } from '@pinfold/test-contracts/internal';
import { SqliteDatabase } from '../src/database/sqlite-database.ts';
import { Checkpointer } from '../src/engine/checkpointer.ts';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import { ThreadedWriter } from '../src/writing/threaded-writer.ts';
import { parentFolder } from './in-folder.ts';
import { runInThread } from './writing/start-writer.ts';

const ENTRY = new URL('./writing/library-thread.ts', import.meta.url);

type Opening = (file: string, schema: DatabaseSchema) => Promise<Database>;

const sleep = (length: number, signal?: AbortSignal): Promise<void> => raceSignal(setTimeout(length), signal);

const openFile: Opening = async (file, schema) => {
  const checkpointer = new Checkpointer(file);
  const connection = new SqliteConnection(file, sleep, () => checkpointer.changed());
  return new SqliteDatabase(connection, schema, { checkpointer });
};

const openFileWithThread: Opening = async (file, schema) => {
  const checkpointer = new Checkpointer(file);
  const changed = (): void => checkpointer.changed();
  const writer = new ThreadedWriter(file, schema.programs, changed, { entry: ENTRY, startAfter: 0 });
  const connection = new SqliteConnection(file, sleep, changed);
  await runInThread(writer, RUN, { commands: [] }).catch(() => undefined);
  return new SqliteDatabase(connection, schema, { checkpointer, writer });
};

/** Opens a new file, whose programs run in the event loop; peers are further handles of that file. */
export function openDatabase(schema: DatabaseSchema): Promise<StoreSubject<Database>> {
  return subjectOf(schema, openFile);
}

/** Like {@link openDatabase}, with programs in threads. */
export function openDatabaseWithThread(schema: DatabaseSchema): Promise<StoreSubject<Database>> {
  return subjectOf(schema, openFileWithThread);
}

async function subjectOf(schema: DatabaseSchema, open: Opening): Promise<StoreSubject<Database>> {
  const folder = await mkdtemp(join(await parentFolder(), 'pinfold-sqlite-'));
  const handles: Database[] = [];
  const peer = async (): Promise<Database> => {
    const handle = await open(join(folder, 'pinfold.sqlite'), schema);
    handles.push(handle);
    return handle;
  };
  const port = await peer();
  await port.migrate();
  return {
    port,
    peer,
    unreachable: () => open(join(folder, 'gone', 'pinfold.sqlite'), schema),
    dispose: async () => {
      await Promise.all(handles.map((handle) => handle.close()));
      await rm(folder, { recursive: true });
    },
  };
}
