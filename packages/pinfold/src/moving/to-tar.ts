import { createTarPacker } from 'modern-tar';
import { ARCHIVES, formatManifest, MANIFEST, RecordsWriter } from './export-form.ts';
import type { Destination } from './walk.ts';

export interface Tar {
  readonly destination: Destination;
  /** The bytes of the tar. They must be read while it is written. */
  readonly bytes: ReadableStream<Uint8Array>;
  abort(reason: unknown): void;
}

/**
 * Writes an export as a tar with the same files as in a folder. Entries have no time or user, so that equal exports
 * are equal tars.
 */
export function toTar(): Tar {
  const { readable: bytes, controller } = createTarPacker();
  const add = async (name: string, pieces: readonly Uint8Array[], size: number): Promise<void> => {
    const header = { name, size, mode: 0o600, mtime: new Date(0), type: 'file' } as const;
    const writer = controller.add(header).getWriter();
    for (const piece of pieces) await writer.write(piece);
    await writer.close();
  };
  const writer = new RecordsWriter((name, lines) => add(name, [lines], lines.length));
  const destination: Destination = {
    begin: async () => {},
    records: (records) => writer.add(records),
    has: () => false,
    archive: async ({ id, pieces, bytes: size }) => {
      await writer.flush();
      await add(`${ARCHIVES}/${id.slice(0, 4)}/${id.slice(4, 7)}/${id}`, pieces, size);
    },
    end: async (walked) => {
      await writer.flush();
      const text = formatManifest(writer.files, walked);
      await add(MANIFEST, [text], text.length);
      controller.finalize();
    },
  };
  return { destination, bytes, abort: (reason) => controller.error(reason) };
}
