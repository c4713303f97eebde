import { parseArchiveId } from '@pinfold/core/adapter';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { CommandFailure } from '../command-line/failures.ts';
import {
  ARCHIVES,
  type Destination,
  type ExportManifest,
  MANIFEST,
  type MovingArchive,
  type RecordsFile,
} from './export-form.ts';
import type { Moved } from './from-stores.ts';
import type { Progress } from './progress.ts';
import { RECORDS_FILE, readManifest } from './read-manifest.ts';
import { recordsFileOf } from './records-file.ts';
import { hashOf } from './whole-archive.ts';

/** Each is held in memory as a whole. */
const LARGEST = 1_073_741_824;

/** Brings an export that comes as a tar to a destination. Its records come first, and its manifest last. */
export async function moveFromTar(
  bytes: ReadableStream<Uint8Array>,
  to: Destination,
  progress: Progress,
): Promise<Moved> {
  let begun = false;
  const files: RecordsFile[] = [];
  const archives: MovingArchive['id'][] = [];
  let manifest: ExportManifest | undefined;
  let copied = 0;
  for await (const entry of entriesOf(bytes)) {
    const name = entry.header.name.replace(/^\.\//, '');
    if (manifest !== undefined) throw new CommandFailure('something comes behind the manifest of the export');
    if (name === MANIFEST) {
      manifest = readManifest(Buffer.concat(await piecesOf(entry)).toString('utf8'));
    } else if (RECORDS_FILE.test(name)) {
      const lines = Buffer.concat(await piecesOf(entry));
      const file = recordsFileOf(files.length + 1, lines);
      files.push(file);
      // Begins with the first valid records: a file that is no export writes nothing.
      if (!begun) await to.begin();
      begun = true;
      await to.records(lines);
      progress.records(file.records);
    } else if (entry.header.type === 'directory') {
      await entry.body.cancel();
    } else {
      const id = parseArchiveId(name.startsWith(`${ARCHIVES}/`) ? name.slice(name.lastIndexOf('/') + 1) : '');
      if (id === undefined) throw new CommandFailure('this is no export: it holds other files');
      if (files.length === 0) throw new CommandFailure('the records of an export come before its archives');
      archives.push(id);
      progress.archive(entry.header.size);
      if (to.has(id)) {
        await entry.body.cancel();
      } else {
        const pieces = await piecesOf(entry);
        await to.archive({ id, pieces, bytes: entry.header.size, sha256: hashOf(pieces) });
        copied += 1;
      }
    }
  }
  expectWhole(manifest, files);
  if (!begun) await to.begin();
  await to.end({ archives, broken: manifest.broken });
  const records = files.reduce((sum, file) => sum + file.records, 0);
  return { records, archives: archives.length, copied, broken: manifest.broken };
}

async function* entriesOf(bytes: ReadableStream<Uint8Array>): AsyncGenerator<ParsedTarEntry, void> {
  const decoder = createTarDecoder({ strict: true });
  try {
    yield* bytes.pipeThrough(decoder);
  } catch (error) {
    throw noTar(error);
  }
}

function noTar(cause: unknown): CommandFailure {
  return new CommandFailure(`the stream is no whole tar: ${(cause as Error).message}`, { cause });
}

async function piecesOf({ header, body }: ParsedTarEntry): Promise<readonly Uint8Array[]> {
  if (header.size > LARGEST)
    throw new CommandFailure('this is no export: it holds a file of over a gigabyte');
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of body) pieces.push(piece);
  } catch (error) {
    throw noTar(error);
  }
  return pieces;
}

function expectWhole(
  manifest: ExportManifest | undefined,
  files: readonly RecordsFile[],
): asserts manifest is ExportManifest {
  if (manifest === undefined)
    throw new CommandFailure('the export ends before its manifest: it is not whole');
  const same =
    files.length === manifest.records.length &&
    manifest.records.every(({ sha256 }, n) => files[n]?.sha256 === sha256);
  if (!same) throw new CommandFailure('the records of the export are not what its manifest says');
}
