import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isFault } from '@pinfold/core';
import { parseArchiveId } from '@pinfold/core/adapter';
import { codeOf, systemCodeOf } from '@pinfold/core/internal';
import type { MovedRecord } from '@pinfold/core/moving';
import { SystemClock } from '@pinfold/platform-node';
import { FsArchiveStorage } from '@pinfold/storage-fs';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { CommandFailure } from '../command-line/failures.ts';
import { archiveOf, prefetch, readArchive, refuseLargeArchive, storedArchives } from './archives.ts';
import {
  ARCHIVES,
  type ExportManifest,
  isRecordedAs,
  MANIFEST,
  RECORDS_FILE,
  type RecordsFile,
  readManifest,
  recordsFileOf,
  recordsReader,
  refuseTooLarge,
} from './export-form.ts';
import type { Source, Step, Walking } from './walk.ts';

type Failed = Walking['failed'];

/** An export in a folder. */
export function fromFolder(folder: string): Source {
  return async function* ({ has, failed }) {
    const manifest = await manifestIn(folder);
    // The destination begins now: damaged records leave an import unfinished.
    yield { kind: 'broken', ids: manifest.broken };
    for await (const records of recordsIn(folder, manifest, failed)) yield { kind: 'records', records };
    const root = join(folder, ARCHIVES);
    const options = { folder: root, staging: { folder: root }, clock: new SystemClock() };
    const storage = new FsArchiveStorage(options);
    const stored = await readable(ARCHIVES, failed, async () => {
      if (!(await stat(root)).isDirectory())
        throw new CommandFailure(`${ARCHIVES} is not a folder`, 'unreadable');
      return await Array.fromAsync(storedArchives(storage));
    });
    const others = new Set(manifest.unnamed);
    const ids = (stored ?? []).filter((id) => !others.has(id));
    yield* prefetch(ids, async (id): Promise<Step> => {
      const read = () => readable(id, failed, () => readArchive(storage, id));
      return { kind: 'archive', id, whole: has(id) ? undefined : await read() };
    });
  };
}

/** The files of records that a manifest names; those that cannot be read are left out, unless that throws. */
export async function* recordsIn(
  folder: string,
  manifest: ExportManifest,
  failed: Failed,
): AsyncGenerator<readonly MovedRecord[], void> {
  const read = recordsReader(failed);
  for (const [n, recorded] of manifest.records.entries()) {
    const name = recorded.file;
    const records = await readable(name, failed, async () => {
      const lines = await readFile(join(folder, name), name);
      const file = recordsFileOf(n + 1, lines);
      if (isRecordedAs(recorded, file)) return read(name, lines);
      throw new CommandFailure(`${name} is not what the manifest says`, 'unreadable');
    });
    if (records !== undefined) yield records;
  }
}

/** @throws CommandFailure for a folder without a whole export. */
export async function manifestIn(folder: string): Promise<ExportManifest> {
  const file = join(folder, MANIFEST);
  const bytes = await readFile(file, file).catch((cause: unknown) => {
    const code = codeOf(cause);
    if (code === undefined) throw cause;
    const message = `${file} cannot be read (${code}): there is no export, or one that has not ended`;
    throw new CommandFailure(message, { cause, code: 'unreadable' });
  });
  return readManifest(bytes);
}

async function readable<Read>(
  what: string,
  failed: Failed,
  read: () => Promise<Read>,
): Promise<Read | undefined> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof CommandFailure) failed(cause);
    else {
      const reason = isFault(cause) ? cause.message : systemCodeOf(cause);
      // A mistake of this program.
      if (reason === undefined) throw cause;
      failed(new CommandFailure(`${what} cannot be read (${reason})`, { cause, code: 'unreadable' }));
    }
    return undefined;
  }
}

/** @throws CommandFailure for anything but a file, and for one that is too large; the system's own error otherwise. */
async function readFile(path: string, name: string): Promise<Buffer> {
  // Opening a pipe would otherwise wait for its writer, and the process could not even end meanwhile.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new CommandFailure(`${name} is not a file`, 'unreadable');
    refuseTooLarge(name, stats.size);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** An export that comes as a tar. Its records come first, and its manifest last. */
export function fromTar(bytes: ReadableStream<Uint8Array>): Source {
  return async function* ({ has, failed }) {
    const read = recordsReader(failed);
    const files: RecordsFile[] = [];
    let manifest: ExportManifest | undefined;
    for await (const entry of entriesOf(bytes)) {
      const { size, type } = entry.header;
      const name = entry.header.name.replace(/^\.\//, '');
      if (manifest !== undefined)
        throw new CommandFailure('something comes behind the manifest of the export', 'unreadable');
      if (name === MANIFEST) {
        manifest = readManifest(await fileOf(name, entry));
      } else if (RECORDS_FILE.test(name)) {
        const lines = await fileOf(name, entry);
        files.push(recordsFileOf(files.length + 1, lines));
        yield { kind: 'records', records: read(name, lines) };
      } else if (type === 'directory') {
        await entry.body.cancel();
      } else {
        const id = parseArchiveId(
          name.startsWith(`${ARCHIVES}/`) ? name.slice(name.lastIndexOf('/') + 1) : '',
        );
        if (id === undefined)
          throw new CommandFailure('this is no export: it holds other files', 'unreadable');
        if (files.length === 0)
          throw new CommandFailure('the records of an export come before its archives', 'unreadable');
        const isHeld = has(id);
        if (isHeld) await entry.body.cancel();
        else refuseLargeArchive(id, size);
        yield { kind: 'archive', id, whole: isHeld ? undefined : archiveOf(id, await piecesOf(entry), size) };
      }
    }
    if (manifest === undefined)
      throw new CommandFailure('the export ends before its manifest: it is not whole', 'unreadable');
    const { records, broken } = manifest;
    if (files.length !== records.length || !records.every((recorded, n) => isRecordedAs(recorded, files[n])))
      throw new CommandFailure('the records of the export are not what its manifest says', 'unreadable');
    yield { kind: 'broken', ids: broken };
  };
}

async function* entriesOf(bytes: ReadableStream<Uint8Array>): AsyncGenerator<ParsedTarEntry, void> {
  try {
    yield* bytes.pipeThrough(createTarDecoder({ strict: true }));
  } catch (error) {
    throw noTar(error);
  }
}

function noTar(cause: unknown): CommandFailure {
  return new CommandFailure(`the stream is no whole tar: ${(cause as Error).message}`, {
    cause,
    code: 'unreadable',
  });
}

async function fileOf(name: string, entry: ParsedTarEntry): Promise<Buffer> {
  refuseTooLarge(name, entry.header.size);
  return Buffer.concat(await piecesOf(entry));
}

async function piecesOf({ body }: ParsedTarEntry): Promise<readonly Uint8Array[]> {
  try {
    return await Array.fromAsync(body);
  } catch (error) {
    throw noTar(error);
  }
}
