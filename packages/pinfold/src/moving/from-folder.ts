import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SystemClock } from '@pinfold/platform-node';
import { FsArchiveStorage } from '@pinfold/storage-fs';
import { CommandFailure } from '../command-line/failures.ts';
import { ARCHIVES, MANIFEST, readManifest, recordsFileOf } from './export-form.ts';
import type { Destination, Step } from './move.ts';
import { prefetch, storedArchives, wholeArchive } from './whole-archive.ts';

export async function* stepsFromFolder(folder: string, to: Destination): AsyncGenerator<Step, void> {
  const { records, archives, broken, unnamed } = readManifest(await textOf(join(folder, MANIFEST)));
  // The destination begins now: damaged records leave an import unfinished.
  yield { kind: 'expected', archives };
  for (const [n, { file: name, sha256 }] of records.entries()) {
    const lines = await readFile(join(folder, name));
    const file = recordsFileOf(n + 1, lines);
    if (file.sha256 !== sha256) throw new CommandFailure(`${name} is not what the manifest says`);
    yield { kind: 'records', lines, file };
  }
  const root = join(folder, ARCHIVES);
  await stat(root);
  const storage = new FsArchiveStorage({ folder: root, staging: { folder: root }, clock: new SystemClock() });
  const others = new Set(unnamed);
  const ids = (await Array.fromAsync(storedArchives(storage))).filter((id) => !others.has(id));
  for await (const step of prefetch(ids, async (id) => {
    const whole = to.has(id) ? undefined : await wholeArchive(storage, id);
    return { kind: 'archive', id, whole } as const;
  })) {
    yield step;
  }
  yield { kind: 'broken', ids: broken };
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    const message = `${file} cannot be read (${error.code}): there is no export, or one that has not ended`;
    throw new CommandFailure(message, { cause: error });
  }
}
