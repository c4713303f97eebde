import { createTarPacker } from 'modern-tar';
import { archivePath, formatManifest, MANIFEST, RecordsWriter } from './export-form.ts';
import type { Progress } from './progress.ts';
import { type Destination, type Source, type Walk, walk } from './walk.ts';

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
  const add = async (name: string, bytes: Uint8Array): Promise<void> => {
    const header = { name, size: bytes.length, mode: 0o600, mtime: new Date(0), type: 'file' } as const;
    const writer = controller.add(header).getWriter();
    await writer.write(bytes);
    await writer.close();
  };
  const writer = new RecordsWriter(add);
  let added = Promise.resolve();
  /** Adds one entry after the other, since archives are stored several at a time. */
  const inTurn = (task: () => Promise<void>): Promise<void> => {
    added = added.then(task);
    return added;
  };
  const destination: Destination = {
    records: (records) => inTurn(() => writer.add(records)),
    store: ({ id, bytes }) =>
      inTurn(async () => {
        await writer.flush();
        await add(archivePath(id), bytes);
      }),
    end: async (walked) => {
      await writer.flush();
      await add(MANIFEST, formatManifest(writer.files, walked));
      controller.finalize();
    },
  };
  const walked = walk(source, destination, progress).catch((error: unknown) => {
    controller.error(error);
    throw error;
  });
  const [moved] = await Promise.all([walked, pipe(readable)]);
  return moved;
}
