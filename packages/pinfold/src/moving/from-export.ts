import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ArchiveId } from '@pinfold/core';
import { parseArchiveId } from '@pinfold/core/adapter';
import { codeOf } from '@pinfold/core/internal';
import { createTarDecoder } from 'modern-tar';
import { CommandFailure } from '../command-line/failures.ts';
import { checkArchiveSize, readArchives, toFailure, toMovingArchive } from './archives.ts';
import {
  ARCHIVES,
  checkFileSize,
  createRecordsReader,
  describeRecordsFile,
  type ExportManifest,
  MANIFEST,
  openArchives,
  RECORDS_FILE,
  type RecordsFile,
  readManifest,
} from './export-form.ts';
import type { Gap, Source, Walk } from './walk.ts';

/** Reads an export in a folder. */
export function fromFolder(folder: string): Source {
  return async function* (walk) {
    const { records, broken } = await readManifestIn(folder);
    // The first step begins the import, which damaged records then leave unfinished: no server opens such a database.
    yield { kind: 'records', records: [] };
    const read = createRecordsReader(walk);
    for (const [n, recorded] of records.entries()) {
      const name = recorded.file;
      try {
        const lines = await readFile(join(folder, name), name);
        if (!matchesManifest(describeRecordsFile(n + 1, lines), recorded))
          throw new CommandFailure(`${name} does not match the manifest`, 'unreadable');
        yield { kind: 'records', records: read(name, lines) };
      } catch (error) {
        walk.onFailure(toFailure(name, error));
      }
    }
    try {
      if (!(await stat(join(folder, ARCHIVES))).isDirectory())
        throw new CommandFailure(`${ARCHIVES} is not a folder`, 'unreadable');
      yield* readArchives(openArchives(folder), walk);
    } catch (error) {
      walk.onFailure(toFailure(ARCHIVES, error));
    }
    yield* knownGaps(broken, walk);
  };
}

/** The missing archives that the manifest of an export lists. */
function* knownGaps(broken: readonly ArchiveId[], walk: Walk): Generator<Gap, void> {
  const known = new Set(broken);
  for (const gap of walk.absent()) if (known.has(gap.archive)) yield { ...gap, isKnown: true };
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

/** Whether a record file has the content that the manifest states. Its name may differ. */
function matchesManifest(file: RecordsFile, recorded: RecordsFile | undefined): boolean {
  return isDeepStrictEqual({ ...file, file: recorded?.file }, recorded);
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
  return async function* (walk) {
    const read = createRecordsReader(walk);
    const files: RecordsFile[] = [];
    let manifest: ExportManifest | undefined;
    for await (const { name, size, body } of decodeTar(bytes)) {
      if (manifest !== undefined)
        throw new CommandFailure('the tar continues after the manifest of the export', 'unreadable');
      if (name === MANIFEST) {
        checkFileSize(name, size);
        manifest = readManifest(await readEntry(body));
      } else if (RECORDS_FILE.test(name)) {
        checkFileSize(name, size);
        const lines = await readEntry(body);
        files.push(describeRecordsFile(files.length + 1, lines));
        yield { kind: 'records', records: read(name, lines) };
      } else {
        const id = parseArchiveId(name.slice(name.lastIndexOf('/') + 1));
        if (id === undefined || !name.startsWith(`${ARCHIVES}/`))
          throw new CommandFailure('this is not an export: it contains other files', 'unreadable');
        if (files.length === 0)
          throw new CommandFailure('the records of an export come before its archives', 'unreadable');
        const isNeeded = walk.needs(id);
        if (isNeeded) checkArchiveSize(id, size);
        else await body.cancel();
        yield {
          kind: 'archive',
          id,
          loaded: isNeeded ? toMovingArchive(id, await readEntry(body)) : undefined,
        };
      }
    }
    if (manifest === undefined)
      throw new CommandFailure('the export ends before its manifest: it is incomplete', 'unreadable');
    const { records, broken } = manifest;
    const isSame = files.every((file, n) => matchesManifest(file, records[n]));
    if (files.length !== records.length || !isSame)
      throw new CommandFailure('the records of the export do not match its manifest', 'unreadable');
    yield* knownGaps(broken, walk);
  };
}

interface TarFile {
  readonly name: string;
  readonly size: number;
  readonly body: ReadableStream<Uint8Array>;
}

/** The files of a tar. Each must be read or cancelled before the next one. */
async function* decodeTar(bytes: ReadableStream<Uint8Array>): AsyncGenerator<TarFile, void> {
  try {
    for await (const { header, body } of bytes.pipeThrough(createTarDecoder({ strict: true }))) {
      const { name, size, type } = header;
      if (type === 'directory') await body.cancel();
      else yield { name: name.replace(/^\.\//, ''), size, body };
    }
  } catch (error) {
    throw tarError(error);
  }
}

async function readEntry(body: TarFile['body']): Promise<Buffer> {
  try {
    return Buffer.concat(await Array.fromAsync(body));
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
