import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SystemClock } from '@pinfold/platform-node';
import { FsArchiveStorage } from '@pinfold/storage-fs';
import { CommandFailure } from '../command-line/failures.ts';
import { ARCHIVES, type Destination, MANIFEST, type RecordsFile } from './export-form.ts';
import type { Moved } from './from-stores.ts';
import { prefetch } from './prefetch.ts';
import type { Progress } from './progress.ts';
import { readManifest } from './read-manifest.ts';
import { recordsFileOf } from './records-file.ts';
import { storedArchives, wholeArchive } from './whole-archive.ts';

const AT_ONCE = 4;

/** Brings the export in a folder to a destination. */
export async function moveFromFolder(folder: string, to: Destination, progress: Progress): Promise<Moved> {
  const { records: files, archives: count, broken } = readManifest(await textOf(join(folder, MANIFEST)));
  await to.begin();
  let records = 0;
  for (const [n, file] of files.entries()) {
    await to.records(await linesOf(folder, n + 1, file));
    records += file.records;
    progress.records(file.records);
  }
  progress.expect(count);
  const root = join(folder, ARCHIVES);
  await stat(root);
  const storage = new FsArchiveStorage({ folder: root, staging: { folder: root }, clock: new SystemClock() });
  const archives = [];
  for await (const id of storedArchives(storage)) archives.push(id);
  let copied = 0;
  const read = prefetch(archives, AT_ONCE, async (id) =>
    to.has(id) ? undefined : wholeArchive(storage, id),
  );
  for await (const archive of read) {
    progress.archive(archive?.bytes ?? 0);
    if (archive === undefined) continue;
    await to.archive(archive);
    copied += 1;
  }
  await to.end({ archives, broken });
  return { records, archives: count, copied, broken };
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

async function linesOf(folder: string, n: number, file: RecordsFile): Promise<Uint8Array> {
  const lines = await readFile(join(folder, file.file));
  const { sha256 } = recordsFileOf(n, lines);
  if (sha256 !== file.sha256) throw new CommandFailure(`${file.file} is not what the manifest says`);
  return lines;
}
