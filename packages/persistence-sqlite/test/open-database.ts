import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { raceSignal } from '@pinfold/core/adapter';
import type { Database, DatabaseSchema } from '@pinfold/core/records';
import type { StoreSubject } from '@pinfold/test-contracts';
import { SqliteDatabase } from '../src/database/sqlite-database.ts';
import { Checkpointer } from '../src/engine/checkpointer.ts';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import { parentFolder } from './in-folder.ts';

function openFile(file: string, schema: DatabaseSchema): Database {
  const checkpointer = new Checkpointer(file);
  const sleep = (length: number, signal?: AbortSignal): Promise<void> =>
    raceSignal(setTimeout(length), signal);
  return new SqliteDatabase(
    new SqliteConnection(file, sleep, () => checkpointer.changed()),
    checkpointer,
    schema,
  );
}

/** Opens a file of its own; peers are further handles on that file. */
export async function openDatabase(schema: DatabaseSchema): Promise<StoreSubject<Database>> {
  const folder = await mkdtemp(join(await parentFolder(), 'pinfold-sqlite-'));
  const handles: Database[] = [];
  const peer = async (): Promise<Database> => {
    const handle = openFile(join(folder, 'pinfold.sqlite'), schema);
    handles.push(handle);
    return handle;
  };
  const port = await peer();
  await port.migrate();
  return {
    port,
    peer,
    unreachable: async () => openFile(join(folder, 'gone', 'pinfold.sqlite'), schema),
    dispose: async () => {
      await Promise.all(handles.map((handle) => handle.close()));
      await rm(folder, { recursive: true });
    },
  };
}
