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
import { checkArchiveSize, listArchives, prefetch, readArchive, toMovingArchive } from './archives.ts';
import {
  ARCHIVES,
  checkFileSize,
  createRecordsReader,
  describeRecordsFile,
  type ExportManifest,
  MANIFEST,
  matchesManifest,
  RECORDS_FILE,
  type RecordsFile,
  readManifest,
} from './export-form.ts';
import type { Source, Step, Walking } from './walk.ts';

type OnFailure = Walking['onFailure'];

/** Reads an export in a folder. */
export function fromFolder(folder: string): Source {
  return async function* ({ has, onFailure }) {
    const manifest = await readManifestIn(folder);
    // The first step begins the import, which damaged records then leave unfinished: no server opens such a database.
    yield { kind: 'broken', ids: manifest.broken };
    for await (const records of readRecordsIn(folder, manifest, onFailure))
      yield { kind: 'records', records };
    const root = join(folder, ARCHIVES);
    const options = { folder: root, staging: { folder: root }, clock: new SystemClock() };
    const storage = new FsArchiveStorage(options);
    const stored = await readOrFail(ARCHIVES, onFailure, async () => {
      if (!(await stat(root)).isDirectory())
        throw new CommandFailure(`${ARCHIVES} is not a folder`, 'unreadable');
      return await Array.fromAsync(listArchives(storage));
    });
    const orphans = new Set(manifest.unnamed);
    const ids = (stored ?? []).filter((id) => !orphans.has(id));
    yield* prefetch(ids, async (id): Promise<Step> => {
      const read = () => readOrFail(id, onFailure, () => readArchive(storage, id));
      return { kind: 'archive', id, loaded: has(id) ? undefined : await read() };
    });
  };
}

/** Yields the records of the files that a manifest names. Skips unreadable files, unless `onFailure` throws. */
export async function* readRecordsIn(
  folder: string,
  manifest: ExportManifest,
  onFailure: OnFailure,
): AsyncGenerator<readonly MovedRecord[], void> {
  const read = createRecordsReader(onFailure);
  for (const [n, recorded] of manifest.records.entries()) {
    const name = recorded.file;
    const records = await readOrFail(name, onFailure, async () => {
      const lines = await readFile(join(folder, name), name);
      const file = describeRecordsFile(n + 1, lines);
      if (matchesManifest(recorded, file)) return read(name, lines);
      throw new CommandFailure(`${name} does not match the manifest`, 'unreadable');
    });
    if (records !== undefined) yield records;
  }
}

/** Reads the manifest of a folder. @throws CommandFailure for a folder without a complete export. */
export async function readManifestIn(folder: string): Promise<ExportManifest> {
  const file = join(folder, MANIFEST);
  const bytes = await readFile(file, file).catch((cause: unknown) => {
    const code = codeOf(cause);
    if (code === undefined) throw cause;
    const message = `${file} cannot be read (${code}): there is no export, or it is incomplete`;
    throw new CommandFailure(message, { cause, code: 'unreadable' });
  });
  return readManifest(bytes);
}

async function readOrFail<Read>(
  name: string,
  onFailure: OnFailure,
  read: () => Promise<Read>,
): Promise<Read | undefined> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof CommandFailure) onFailure(cause);
    else {
      const reason = isFault(cause) ? cause.message : systemCodeOf(cause);
      // Not a system error but a bug of this program.
      if (reason === undefined) throw cause;
      onFailure(new CommandFailure(`${name} cannot be read (${reason})`, { cause, code: 'unreadable' }));
    }
    return undefined;
  }
}

/** @throws CommandFailure if it is not a file, or too large; otherwise the system's error. */
async function readFile(path: string, name: string): Promise<Buffer> {
  // Non-blocking: opening a pipe would wait for its writer, and the process could not even exit.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new CommandFailure(`${name} is not a file`, 'unreadable');
    checkFileSize(name, stats.size);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Reads an export from a tar: its records come first, and its manifest last. */
export function fromTar(bytes: ReadableStream<Uint8Array>): Source {
  return async function* ({ has, onFailure }) {
    const read = createRecordsReader(onFailure);
    const files: RecordsFile[] = [];
    let manifest: ExportManifest | undefined;
    for await (const entry of decodeTar(bytes)) {
      const { size, type } = entry.header;
      const name = entry.header.name.replace(/^\.\//, '');
      if (manifest !== undefined)
        throw new CommandFailure('the tar continues after the manifest of the export', 'unreadable');
      if (name === MANIFEST) {
        manifest = readManifest(await readEntry(name, entry));
      } else if (RECORDS_FILE.test(name)) {
        const lines = await readEntry(name, entry);
        files.push(describeRecordsFile(files.length + 1, lines));
        yield { kind: 'records', records: read(name, lines) };
      } else if (type === 'directory') {
        await entry.body.cancel();
      } else {
        const id = parseArchiveId(
          name.startsWith(`${ARCHIVES}/`) ? name.slice(name.lastIndexOf('/') + 1) : '',
        );
        if (id === undefined)
          throw new CommandFailure('this is not an export: it contains other files', 'unreadable');
        if (files.length === 0)
          throw new CommandFailure('the records of an export come before its archives', 'unreadable');
        const isPresent = has(id);
        if (isPresent) await entry.body.cancel();
        else checkArchiveSize(id, size);
        yield {
          kind: 'archive',
          id,
          loaded: isPresent ? undefined : toMovingArchive(id, await readPieces(entry), size),
        };
      }
    }
    if (manifest === undefined)
      throw new CommandFailure('the export ends before its manifest: it is incomplete', 'unreadable');
    const { records, broken } = manifest;
    if (
      files.length !== records.length ||
      !records.every((recorded, n) => matchesManifest(recorded, files[n]))
    )
      throw new CommandFailure('the records of the export do not match its manifest', 'unreadable');
    yield { kind: 'broken', ids: broken };
  };
}

async function* decodeTar(bytes: ReadableStream<Uint8Array>): AsyncGenerator<ParsedTarEntry, void> {
  try {
    yield* bytes.pipeThrough(createTarDecoder({ strict: true }));
  } catch (error) {
    throw tarError(error);
  }
}

function tarError(cause: unknown): CommandFailure {
  return new CommandFailure(`the stream is not a complete tar: ${(cause as Error).message}`, {
    cause,
    code: 'unreadable',
  });
}

async function readEntry(name: string, entry: ParsedTarEntry): Promise<Buffer> {
  checkFileSize(name, entry.header.size);
  return Buffer.concat(await readPieces(entry));
}

async function readPieces({ body }: ParsedTarEntry): Promise<readonly Uint8Array[]> {
  try {
    return await Array.fromAsync(body);
  } catch (error) {
    throw tarError(error);
  }
}
