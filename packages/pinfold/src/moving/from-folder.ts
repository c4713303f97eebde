import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '@pinfold/core/internal';
import { SystemClock } from '@pinfold/platform-node';
import { FsArchiveStorage } from '@pinfold/storage-fs';
import { CommandFailure } from '../command-line/failures.ts';
import { ARCHIVES, MANIFEST, readManifest, recordsFileOf } from './export-form.ts';
import type { Destination, Step } from './move.ts';
import { prefetch, storedArchives, wholeArchive } from './whole-archive.ts';

/** Takes what cannot be read of an export; what it throws ends the walk. */
export type Failed = (failure: CommandFailure) => void;

/** @param failed takes a part that cannot be read, after which the walk goes on; the first one ends it when absent. */
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
  for (const [n, { file: name, sha256 }] of records.entries()) {
    const lines = await readable(name, failed, () => readFile(join(folder, name)));
    if (lines === undefined) continue;
    const file = recordsFileOf(n + 1, lines);
    if (file.sha256 === sha256) yield { kind: 'records', lines, file };
    else failed(new CommandFailure(`${name} is not what the manifest says`));
  }
  const root = join(folder, ARCHIVES);
  if ((await readable(ARCHIVES, failed, () => stat(root))) !== undefined) {
    const storage = new FsArchiveStorage({
      folder: root,
      staging: { folder: root },
      clock: new SystemClock(),
    });
    const others = new Set(unnamed);
    const ids = (await Array.fromAsync(storedArchives(storage))).filter((id) => !others.has(id));
    for await (const step of prefetch(ids, async (id) => {
      const whole = to.has(id) ? undefined : await readable(id, failed, () => wholeArchive(storage, id));
      return { kind: 'archive', id, whole } as const;
    })) {
      yield step;
    }
  }
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
    const code = systemCodeOf(cause);
    if (code === undefined && !(cause instanceof CommandFailure)) throw cause;
    failed(
      code === undefined
        ? (cause as CommandFailure)
        : new CommandFailure(`${what} cannot be read (${code})`, { cause }),
    );
    return undefined;
  }
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
