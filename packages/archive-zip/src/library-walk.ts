import fs from 'node:fs';
import StreamZip from 'node-stream-zip';
import type { CentralHeader } from './central-header.ts';
import { isSystemError } from './staged-file.ts';

/** The library's own most. */
const CHUNK_BYTES = 131_072;

type Done<Result> = (error: unknown, result?: Result) => void;
type Reading = [fd: number, buffer: Buffer, offset: number, length: number, position: number];

// A thread that only reads archives may wait for the disk: to be told by another takes longer than most reads.
// The library's types lack its `setFs`.
(StreamZip as unknown as { setFs(fs: object): void }).setFs({
  fstat: (fd: number, done: Done<fs.Stats>) => soon(() => fs.fstatSync(fd), done),
  read: (...[fd, buffer, offset, length, position, done]: [...Reading, Done<number>]) =>
    soon(() => fs.readSync(fd, buffer, offset, length, position), done),
});

/** Calls back in a later tick, as the library expects. */
function soon<Result>(work: () => Result, done: Done<Result>): void {
  process.nextTick(() => {
    let result: Result;
    try {
      result = work();
    } catch (error) {
      done(error);
      return;
    }
    done(null, result);
  });
}

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
