import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Persistence } from '@pinfold/core/adapter';
import { describeStores } from '@pinfold/test-contracts/mocha';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import { openSqlite } from '../src/index.ts';
import { parentFolder } from './in-folder.ts';
import { storesOver } from './stores-over.ts';

/** Opens a file of its own; peers are further handles on that file. */
async function open() {
  const folder = await mkdtemp(join(await parentFolder(), 'pinfold-sqlite-'));
  const handles: Persistence[] = [];
  const peer = async (): Promise<Persistence> => {
    const handle = await openSqlite({ file: join(folder, 'pinfold.sqlite') });
    handles.push(handle);
    return handle;
  };
  const port = await peer();
  await port.migrate();
  return {
    port,
    peer,
    unreachable: async () => {
      const connection = new SqliteConnection(join(folder, 'gone', 'pinfold.sqlite'), async () => {});
      return storesOver(connection);
    },
    dispose: async () => {
      await Promise.all(handles.map((handle) => handle.close()));
      await rm(folder, { recursive: true });
    },
  };
}

describeStores({
  name: 'SQLite',
  open,
  runs: { roles: 50, apiKeys: 20, attempts: 12, sessions: 20 },
});
