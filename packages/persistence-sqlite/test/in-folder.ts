import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Persistence } from '@pinfold/core/adapter';
import { openSqlite } from '../src/index.ts';

const IN_MEMORY = '/dev/shm';

/** A folder in memory if it has room: clauses make thousands of commits, which would each wait for a disk. */
export async function parentFolder(): Promise<string> {
  const free = await statfs(IN_MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free > 2 ** 30 ? IN_MEMORY : tmpdir();
}

/** Works in a folder of its own, which is removed afterwards. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-sqlite-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Works with a migrated database, and its file, in a folder of its own. */
export function onFile(work: (file: string, handle: Persistence) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    const file = join(folder, 'pinfold.sqlite');
    const handle = await openSqlite({ file });
    await handle.migrate();
    await work(file, handle);
    await handle.close();
  });
}
