import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Persistence } from '@pinfold/core/adapter';
import type { StoreSubject } from '@pinfold/test-contracts';
import { handleOn } from '../src/handle.ts';
import { openSqlite } from '../src/index.ts';
import { SqliteConnection } from '../src/sqlite-connection.ts';

/** A folder of its own, removed when the work has ended. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-sqlite-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Makes subjects of one store: each over a file of its own, with peers that are further handles on that file. */
export function subjectsOf<Port>(storeOf: (handle: Persistence) => Port): () => Promise<StoreSubject<Port>> {
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pinfold-sqlite-'));
    const handles: Persistence[] = [];
    const open = async (): Promise<Persistence> => {
      const handle = await openSqlite({ file: join(folder, 'pinfold.sqlite') });
      handles.push(handle);
      return handle;
    };
    const first = await open();
    await first.migrate();
    return {
      port: storeOf(first),
      peer: async () => storeOf(await open()),
      history: async () => first.history,
      unreachable: async () => {
        const connection = new SqliteConnection(join(folder, 'gone', 'pinfold.sqlite'), async () => {});
        return storeOf(handleOn(connection, { close: async () => {} }));
      },
      dispose: async () => {
        await Promise.all(handles.map((handle) => handle.close()));
        await rm(folder, { recursive: true });
      },
    };
  };
}
