import StreamZip from 'node-stream-zip';
import { type ArchiveSource, isSystemError } from './archive-source.ts';
import type { CentralHeader } from './central-header.ts';

/** The library's own most. */
const CHUNK_BYTES = 131_072;

type Done<Result> = (error: unknown, result?: Result) => void;
type Reading = [id: number, buffer: Buffer, offset: number, length: number, position: number];

interface Walk {
  readonly archive: ArchiveSource;
  /** Ends the walk: the library throws some of its errors where it is called back. */
  readonly fail: (error: unknown) => void;
}

/** The walks under way, by the number that the library takes for a descriptor. */
const walks = new Map<number, Walk>();
let lastId = 0;

// The library reads through us, as it reads a file: what is in memory needs none, and a thread that only reads archives may
// wait for the disk. The library's types lack its `setFs`.
(StreamZip as unknown as { setFs(fs: object): void }).setFs({
  fstat: (id: number, done: Done<{ readonly size: number }>) => soon(id, ({ size }) => ({ size }), done),
  read: (...[id, buffer, offset, length, position, done]: [...Reading, Done<number>]) =>
    soon(id, (archive) => archive.read(buffer.subarray(offset, offset + length), position), done),
});

/** Calls back in a later tick, as the library expects. */
function soon<Result>(id: number, work: (archive: ArchiveSource) => Result, done: Done<Result>): void {
  process.nextTick(() => {
    const walk = walks.get(id);
    if (walk === undefined) return;
    let result: Result;
    try {
      result = work(walk.archive);
    } catch (error) {
      done(error);
      return;
    }
    try {
      done(null, result);
    } catch (error) {
      walk.fail(error);
    }
  });
}

/** Whether node-stream-zip, as other unpackers may, reads other entries than we did, as far as it reads at all. */
export async function readsOtherwise(
  archive: ArchiveSource,
  headers: readonly CentralHeader[],
): Promise<boolean> {
  lastId += 1;
  const fd = lastId;
  try {
    return await new Promise((resolve, reject) => {
      walks.set(fd, { archive, fail: reject });
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
  } finally {
    walks.delete(fd);
  }
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
