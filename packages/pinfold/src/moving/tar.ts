import { isDeepStrictEqual } from 'node:util';
import { parseArchiveId } from '@pinfold/core/adapter';
import { createTarDecoder, createTarPacker } from 'modern-tar';
import { CommandFailure } from '../command-line/failures.ts';
import { toMovingArchive, unreadable } from './archives.ts';
import {
  ARCHIVES,
  archivePath,
  checkFileSize,
  describeRecords,
  type ExportManifest,
  ExportWriter,
  MANIFEST,
  parseRecords,
  RECORDS_FILE,
  type RecordsContent,
  readManifest,
} from './export-form.ts';
import type { Progress } from './progress.ts';
import { type Source, type Walk, walk } from './walk.ts';

/** Reads an export from a tar: its records come first, and its manifest last. */
export function fromTar(stream: ReadableStream<Uint8Array>): Source {
  return async (walk) => {
    const read: RecordsContent[] = [];
    let manifest: ExportManifest | undefined;
    for await (const { name, bytes } of readTar(stream)) {
      if (manifest !== undefined) throw unreadable('the tar continues after the manifest of the export');
      if (name === MANIFEST) manifest = readManifest(bytes);
      else if (RECORDS_FILE.test(name)) {
        read.push(describeRecords(bytes));
        await walk.records(parseRecords(name, bytes));
      } else {
        const id = parseArchiveId(name.slice(name.lastIndexOf('/') + 1));
        if (id === undefined || !name.startsWith(`${ARCHIVES}/`))
          throw unreadable('this is not an export: it contains other files');
        if (read.length === 0) throw unreadable('the records of an export come before its archives');
        if (walk.find(id)) await walk.take(id, toMovingArchive(id, bytes));
      }
    }
    if (manifest === undefined) throw unreadable('the export ends before its manifest: it is incomplete');
    const listed = manifest.records.map(({ file: _, ...content }) => content);
    if (!isDeepStrictEqual(read, listed))
      throw unreadable('the records of the export do not match its manifest');
    return manifest.broken;
  };
}

/** Reads one file after the other. @throws CommandFailure for one that is too large, before it is read. */
async function* readTar(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<{ readonly name: string; readonly bytes: Buffer }, void> {
  try {
    for await (const { header, body } of stream.pipeThrough(createTarDecoder({ strict: true }))) {
      const name = header.name.replace(/^\.\//, '');
      if (header.type === 'directory') await body.cancel();
      else {
        checkFileSize(name, header.size);
        yield { name, bytes: Buffer.concat(await Array.fromAsync(body)) };
      }
    }
  } catch (cause) {
    if (cause instanceof CommandFailure) throw cause;
    throw unreadable(`the stream is not a complete tar: ${(cause as Error).message}`, cause);
  }
}

/**
 * Writes an export as a tar with the same files as in a folder. Entries have no time or user, so that equal exports
 * are equal tars.
 *
 * @param pipe reads the tar while it is written.
 */
export async function walkToTar(
  source: Source,
  pipe: (bytes: ReadableStream<Uint8Array>) => Promise<void>,
  progress: Progress,
): Promise<Walk> {
  const { readable, controller } = createTarPacker();
  let added = Promise.resolve();
  /** Adds one entry after the other, since archives are stored several at a time. */
  const add = (name: string, bytes: Uint8Array): Promise<void> => {
    added = added.then(async () => {
      const header = { name, size: bytes.length, mode: 0o600, mtime: new Date(0), type: 'file' } as const;
      const entry = controller.add(header).getWriter();
      await entry.write(bytes);
      await entry.close();
    });
    return added;
  };
  const writer = new ExportWriter(add);
  const walked = walk(
    source,
    {
      records: (records) => writer.add(records),
      // Both are added before the next archive is.
      store: async ({ id, bytes }) => void (await Promise.all([writer.flush(), add(archivePath(id), bytes)])),
      async end(done) {
        await writer.flush();
        await writer.writeManifest(done);
        controller.finalize();
      },
    },
    progress,
  ).catch((error: unknown) => {
    controller.error(error);
    throw error;
  });
  const [moved] = await Promise.all([walked, pipe(readable)]);
  return moved;
}
