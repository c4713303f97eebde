import { fstatSync, readSync } from 'node:fs';
import { callbackify } from 'node:util';
import StreamZip from 'node-stream-zip';
import type { CentralHeader } from './central-header.ts';
import { isSystemError } from './staged-file.ts';

/** The library's own most. */
const CHUNK_BYTES = 131_072;

/** Reads in this thread, which has nothing else to do: the way to another one and back takes longer. */
const files = {
  fstat: callbackify(async (fd: number) => fstatSync(fd)),
  read: callbackify(async (fd: number, into: Buffer, offset: number, length: number, position: number) =>
    readSync(fd, into, offset, length, position),
  ),
};
// Its types lack this function.
(StreamZip as unknown as { setFs(fs: typeof files): void }).setFs(files);

/**
 * Whether node-stream-zip reads other entries than we did in an archive whose structure we accepted: other unpackers
 * might do so, too. If the library gives up, the entries that it has read are compared.
 */
export function readsOtherwise(fd: number, headers: readonly CentralHeader[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let walked = 0;
    let differs = false;
    const zip = new StreamZip({
      fd,
      chunkSize: CHUNK_BYTES,
      skipEntryNameValidation: true,
      storeEntries: false,
    });
    zip.on('entry', (entry) => {
      const header = headers[walked];
      walked += 1;
      differs ||= header === undefined || !isSame(entry, header);
    });
    zip.on('ready', () => resolve(differs || walked !== headers.length));
    zip.on('error', (error: unknown) => (isSystemError(error) ? reject(error) : resolve(differs)));
  });
}

function isSame(entry: StreamZip.ZipEntry, header: CentralHeader): boolean {
  return (
    entry.verMade >>> 8 === header.host &&
    entry.flags === header.flags &&
    entry.method === header.method &&
    entry.crc === header.crc32 &&
    entry.compressedSize === header.compressedSize &&
    entry.size === header.size &&
    entry.diskStart === header.disk &&
    entry.attr === header.externalAttributes &&
    entry.offset === header.localOffset
  );
}
