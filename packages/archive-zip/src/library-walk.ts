import StreamZip from 'node-stream-zip';
import type { CentralHeader } from './central-header.ts';
import { isSystemError } from './staged-file.ts';

/** The library's own most. */
const CHUNK_BYTES = 131_072;

/** Whether node-stream-zip, as other unpackers may, reads other entries than we did, as far as it reads at all. */
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
