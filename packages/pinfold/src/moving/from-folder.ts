import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isFault } from '@pinfold/core';
import { systemCodeOf } from '@pinfold/core/internal';
import { SystemClock } from '@pinfold/platform-node';
import { FsArchiveStorage } from '@pinfold/storage-fs';
import { CommandFailure } from '../command-line/failures.ts';
import { ARCHIVES, isRecordedAs, MANIFEST, readManifest, recordsFileOf } from './export-form.ts';
import type { Destination, Step } from './move.ts';
import { readExportFile } from './read-export-file.ts';
import { prefetch, storedArchives, wholeArchive } from './whole-archive.ts';

/** Takes what cannot be read of an export; what it throws ends the walk. */
export type Failed = (failure: CommandFailure) => void;

/** @param failed takes a part that cannot be read, after which the walk continues; without it the first one ends the walk. */
export async function* stepsFromFolder(
  folder: string,
  to: Destination,
  failed: Failed = (failure) => {
    throw failure;
  },
): AsyncGenerator<Step, void> {
  const { records, archives, broken, unnamed } = readManifest(await textOf(join(folder, MANIFEST)));
  // The destination begins now: damaged records leave an import unfinished.
  yield { kind: 'expected', archives };
  for (const [n, recorded] of records.entries()) {
    const { file: name } = recorded;
    const lines = await readable(name, failed, () => readExportFile(join(folder, name), name));
    if (lines === undefined) continue;
    const file = recordsFileOf(n + 1, lines);
    if (isRecordedAs(recorded, file)) yield { kind: 'records', lines, file };
    else failed(new CommandFailure(`${name} is not what the manifest says`));
  }
  const root = join(folder, ARCHIVES);
  const storage = new FsArchiveStorage({ folder: root, staging: { folder: root }, clock: new SystemClock() });
  const stored = await readable(ARCHIVES, failed, async () => {
    if (!(await stat(root)).isDirectory()) throw new CommandFailure(`${ARCHIVES} is not a folder`);
    return await Array.fromAsync(storedArchives(storage));
  });
  const others = new Set(unnamed);
  const ids = (stored ?? []).filter((id) => !others.has(id));
  yield* prefetch(ids, async (id) => {
    const whole = to.has(id) ? undefined : await readable(id, failed, () => wholeArchive(storage, id));
    return { kind: 'archive', id, whole } as const;
  });
  yield { kind: 'broken', ids: broken };
}

async function readable<Read>(
  what: string,
  failed: Failed,
  read: () => Promise<Read>,
): Promise<Read | undefined> {
  try {
    return await read();
  } catch (cause) {
    failed(failureOf(what, cause));
    return undefined;
  }
}

/** The failure to tell; throws the cause if it is a mistake of this program. */
function failureOf(what: string, cause: unknown): CommandFailure {
  if (cause instanceof CommandFailure) return cause;
  const code = systemCodeOf(cause);
  if (code === undefined && !isFault(cause)) throw cause;
  const reason = isFault(cause) ? cause.message : code;
  return new CommandFailure(`${what} cannot be read (${reason})`, { cause });
}

async function textOf(file: string): Promise<string> {
  try {
    return (await readExportFile(file, file)).toString('utf8');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    const message = `${file} cannot be read (${error.code}): there is no export, or one that has not ended`;
    throw new CommandFailure(message, { cause: error });
  }
}
