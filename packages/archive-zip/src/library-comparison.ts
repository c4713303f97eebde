import StreamZip from 'node-stream-zip';
import { type ArchiveSource, isSystemError } from './archive-source.ts';
import { type ByteSource, uint32 } from './byte-source.ts';
import { END_BYTES, END_SIGNATURE, type EndRecord } from './central-directory.ts';
import type { CentralHeader } from './entry-headers.ts';
import { ZIP64 } from './extra-fields.ts';

/** The largest chunk that the library reads. */
const CHUNK_BYTES = 131_072;

type Callback<Result> = (error: unknown, result?: Result) => void;
type ReadInput = [id: number, buffer: Buffer, offset: number, length: number, position: number];

interface Walk {
  readonly archive: ArchiveSource;
  /** Ends the walk with an error, since the library throws some errors in callbacks. */
  readonly fail: (error: unknown) => void;
}

/** The running walks, by the number that the library uses as a file descriptor. */
const walks = new Map<number, Walk>();
let lastId = 0;

// Replaces the file system of the library, so that it also reads archives in memory. Its reads block the thread, which does
// nothing else. The library's types lack `setFs`.
(StreamZip as unknown as { setFs(fs: object): void }).setFs({
  fstat: (id: number, done: Callback<{ readonly size: number }>) =>
    callBackLater(id, ({ size }) => ({ size }), done),
  read: (...[id, buffer, offset, length, position, done]: [...ReadInput, Callback<number>]) =>
    callBackLater(id, (archive) => archive.read(buffer.subarray(offset, offset + length), position), done),
});

/** Calls back in a later tick, as the library expects. */
function callBackLater<Result>(
  id: number,
  work: (archive: ArchiveSource) => Result,
  done: Callback<Result>,
): void {
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

/**
 * Whether node-stream-zip reads other entries than `headers`: then people who open the archive could see other files than
 * those that were checked. If it rejects the archive, only the entries before that are compared.
 */
export async function differsFromLibrary(
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

const MAX_UINT16 = 0xffff;
const MAX_UINT32 = 0xffff_ffff;

/**
 * Whether every reader finds the same directory: the end record ends the file and contains no other signature, and no
 * value refers to Zip64. True for most archives, which then need no comparison with the library.
 */
export function hasSingleReading(
  file: ByteSource,
  end: EndRecord,
  headers: readonly CentralHeader[],
): boolean {
  if (end.at + END_BYTES !== file.size || end.directoryEnd !== end.at || containsAnotherRecord(file, end))
    return false;
  const { count, directorySize, directoryOffset } = end;
  if (count >= MAX_UINT16 || Math.max(directorySize, directoryOffset) >= MAX_UINT32) return false;
  return headers.every(hasNoZip64);
}

/** Whether readers that search from the end of the file would stop at another signature. */
function containsAnotherRecord(file: ByteSource, { at }: EndRecord): boolean {
  const record = file.at(at, END_BYTES);
  for (let offset = 1; offset < END_BYTES; offset += 1)
    if (uint32(record, offset) === END_SIGNATURE) return true;
  return false;
}

function hasNoZip64({ fields, size, compressedSize, localOffset, disk }: CentralHeader): boolean {
  if (Math.max(size, compressedSize, localOffset) >= MAX_UINT32 || disk >= MAX_UINT16) return false;
  return fields.length === 0 || fields.every(({ id }) => id !== ZIP64);
}
