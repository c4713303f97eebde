import { parseArchiveId } from '@pinfold/core/adapter';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { CommandFailure } from '../command-line/failures.ts';
import {
  ARCHIVES,
  type ExportManifest,
  isRecordedAs,
  MANIFEST,
  RECORDS_FILE,
  type RecordsFile,
  readManifest,
  recordsFileOf,
} from './export-form.ts';
import type { Destination, Step } from './move.ts';
import { MAX_FILE_BYTES, tooLarge } from './read-export-file.ts';
import { archiveTooLarge, hashOf, MAX_ARCHIVE_BYTES } from './whole-archive.ts';

/** An export that comes as a tar. Its records come first, and its manifest last. */
export async function* stepsFromTar(
  bytes: ReadableStream<Uint8Array>,
  to: Destination,
): AsyncGenerator<Step, void> {
  const files: RecordsFile[] = [];
  let manifest: ExportManifest | undefined;
  for await (const entry of entriesOf(bytes)) {
    const { type, size, name: path } = entry.header;
    const name = path.replace(/^\.\//, '');
    if (manifest !== undefined) throw new CommandFailure('something comes behind the manifest of the export');
    if (name === MANIFEST) {
      manifest = readManifest((await fileOf(entry)).toString('utf8'));
    } else if (RECORDS_FILE.test(name)) {
      const lines = await fileOf(entry);
      const file = recordsFileOf(files.length + 1, lines);
      files.push(file);
      yield { kind: 'records', lines, file };
    } else if (type === 'directory') {
      await entry.body.cancel();
    } else {
      const id = parseArchiveId(name.startsWith(`${ARCHIVES}/`) ? name.slice(name.lastIndexOf('/') + 1) : '');
      if (id === undefined) throw new CommandFailure('this is no export: it holds other files');
      if (files.length === 0) throw new CommandFailure('the records of an export come before its archives');
      if (to.has(id)) {
        await entry.body.cancel();
        yield { kind: 'archive', id, whole: undefined };
      } else {
        if (size > MAX_ARCHIVE_BYTES) throw archiveTooLarge(id);
        const pieces = await piecesOf(entry);
        yield { kind: 'archive', id, whole: { id, pieces, bytes: size, sha256: hashOf(pieces) } };
      }
    }
  }
  if (manifest === undefined) {
    throw new CommandFailure('the export ends before its manifest: it is not whole');
  }
  const { records, broken } = manifest;
  const isSame = (recorded: RecordsFile, file: RecordsFile | undefined): boolean =>
    file !== undefined && isRecordedAs(recorded, file);
  if (files.length !== records.length || !records.every((recorded, n) => isSame(recorded, files[n]))) {
    throw new CommandFailure('the records of the export are not what its manifest says');
  }
  yield { kind: 'broken', ids: broken };
}

async function* entriesOf(bytes: ReadableStream<Uint8Array>): AsyncGenerator<ParsedTarEntry, void> {
  try {
    yield* bytes.pipeThrough(createTarDecoder({ strict: true }));
  } catch (error) {
    throw noTar(error);
  }
}

function noTar(cause: unknown): CommandFailure {
  return new CommandFailure(`the stream is no whole tar: ${(cause as Error).message}`, { cause });
}

async function fileOf(entry: ParsedTarEntry): Promise<Buffer> {
  const { size, name } = entry.header;
  if (size > MAX_FILE_BYTES) throw tooLarge(name);
  return Buffer.concat(await piecesOf(entry));
}

async function piecesOf({ body }: ParsedTarEntry): Promise<readonly Uint8Array[]> {
  try {
    return await Array.fromAsync(body);
  } catch (error) {
    throw noTar(error);
  }
}
