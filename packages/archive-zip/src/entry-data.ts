import { Readable } from 'node:stream';
import { createInflateRaw, gunzipSync, type InflateRaw, inflateRawSync } from 'node:zlib';
import { type ArchiveSource, readFully } from './archive-source.ts';
import type { EntryTask } from './jobs.ts';
import type { ProofControl } from './prove-entries.ts';

/** Bytes read and inflated at once of an entry that is not inflated whole. */
const PIECE = 262_144;

/** An entry inflated whole: its bytes, or how they are not what was declared. */
export type WholeData = { readonly bytes: Buffer } | 'corrupt' | 'more_than_declared';

/** Inflates an entry at once, to its declared size at most. */
export function inflateWhole(compressed: Buffer, size: number): WholeData {
  try {
    const { buffer, engine } = inflateRawSync(compressed, {
      info: true,
      chunkSize: Math.max(size + 1, 64),
      maxOutputLength: size + 1,
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    if (buffer.length > size) return 'more_than_declared';
    return engine.bytesWritten === compressed.length && buffer.length === size
      ? { bytes: buffer }
      : 'corrupt';
  } catch (error) {
    if (isZlibError(error)) return 'corrupt';
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return 'more_than_declared';
    throw error;
  }
}

/** The source of an entry's pieces, and the control that may stop it. */
export interface PieceSource {
  readonly archive: ArchiveSource;
  readonly control: ProofControl;
}

/** How the data of an entry ended: exactly where they should, not so, or unread because `onPiece` had enough. */
export type PiecesEnd = 'exact' | 'corrupt' | 'left';

/** Where the data of an entry are, and how they are packed. */
export type PackedData = Pick<EntryTask, 'method' | 'compressedSize' | 'dataOffset'>;

/** Reads an entry in pieces, in memory for a few, however large it is; `onPiece` answers whether to continue. */
export async function readPieces(
  task: PackedData,
  source: PieceSource,
  onPiece: (piece: Buffer) => boolean,
  pieceBytes: number = PIECE,
): Promise<PiecesEnd> {
  const pieces = piecesOf(task, source, pieceBytes);
  if (task.method === 0) {
    for (const piece of pieces) if (!onPiece(piece)) return 'left';
    return 'exact';
  }
  return inflatePieces(pieces, task, onPiece, pieceBytes);
}

async function inflatePieces(
  pieces: Iterable<Buffer>,
  task: PackedData,
  onPiece: (piece: Buffer) => boolean,
  chunkSize: number,
): Promise<PiecesEnd> {
  const source = Readable.from(pieces);
  const inflater = createInflateRaw({ chunkSize });
  source.once('error', (error) => inflater.destroy(error));
  source.pipe(inflater);
  try {
    for await (const piece of inflater) if (!onPiece(piece as Buffer)) return 'left';
    return endsExactly(inflater, task) ? 'exact' : 'corrupt';
  } catch (error) {
    if (isZlibError(error)) return 'corrupt';
    throw error;
  } finally {
    source.destroy();
  }
}

function endsExactly(inflater: InflateRaw, task: PackedData): boolean {
  return inflater.bytesWritten === task.compressedSize;
}

function* piecesOf(
  task: PackedData,
  { archive, control }: PieceSource,
  pieceBytes: number,
): Generator<Buffer> {
  for (let done = 0; done < task.compressedSize; done += pieceBytes) {
    control.throwIfStopped();
    const length = Math.min(pieceBytes, task.compressedSize - done);
    yield readFully(archive, Buffer.allocUnsafe(length), task.dataOffset + done);
  }
}

/** zlib's own verdicts on data: a wrong, cut or dictionary-bound stream. */
export function isZlibError(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR' || code === 'Z_NEED_DICT';
}

/** The largest entry that is inflated with others: for larger ones, an inflater of their own takes no longer. */
const MAX_ENTRY_BYTES = 65_536;
/** The most bytes that are inflated together, packed and unpacked. */
const MAX_PACKED_BYTES = 131_072;
const MAX_BYTES = 524_288;
const MAX_ENTRIES = 256;

/** The header of a member of a gzip file (RFC 1952, section 2.3), and the bytes by which every one begins. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const MAGIC = HEADER.subarray(0, 3);
const TRAILER_BYTES = 8;

/** The gzip file of a thread, which inflates one at a time. */
let gzip: Buffer | undefined;

/**
 * The first entries that can be inflated together; fewer than two where that saves nothing. An entry without bytes would be
 * proved by a stream that runs on into the next entry.
 */
export function firstTogether(tasks: readonly EntryTask[], from: number): readonly EntryTask[] {
  let packed = 0;
  let bytes = 0;
  let end = from;
  for (; end < tasks.length && end - from < MAX_ENTRIES; end += 1) {
    const { method, compressedSize, size } = tasks[end] as EntryTask;
    if (method !== 8 || size === 0 || Math.max(size, compressedSize) > MAX_ENTRY_BYTES) break;
    packed += compressedSize;
    bytes += size;
    if (packed > MAX_PACKED_BYTES || bytes > MAX_BYTES) break;
  }
  return tasks.slice(from, end);
}

/**
 * Inflates entries as the members of one gzip file, with what the directory says of their CRC-32 and sizes: an inflater for
 * each would take longer than the bytes do. As no member can begin but where one is written, and none is empty, all bytes
 * are there only if each entry's stream ends where the entry does, and zlib has compared size and CRC-32 of each.
 *
 * @returns the bytes of all, one after another; undefined if an entry is not as declared, or has bytes by which a member
 * could begin.
 */
export function inflateTogether(
  archive: ArchiveSource,
  tasks: readonly EntryTask[],
  scratch: Buffer,
): Buffer | undefined {
  const file = gzipOf(archive, tasks, scratch);
  if (file === undefined) return undefined;
  const size = tasks.reduce((sum, task) => sum + task.size, 0);
  try {
    const bytes = gunzipSync(file, { chunkSize: Math.max(size + 1, 64), maxOutputLength: size + 1 });
    return bytes.length === size ? bytes : undefined;
  } catch (error) {
    if (isZlibError(error) || (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      return undefined;
    throw error;
  }
}

function gzipOf(archive: ArchiveSource, tasks: readonly EntryTask[], scratch: Buffer): Buffer | undefined {
  gzip ??= Buffer.allocUnsafeSlow(MAX_PACKED_BYTES + MAX_ENTRIES * (HEADER.length + TRAILER_BYTES));
  const packedOf = reading(archive, tasks, scratch);
  const begins: number[] = [];
  let at = 0;
  for (const task of tasks) {
    begins.push(at);
    at += HEADER.copy(gzip, at);
    at += packedOf(task).copy(gzip, at);
    at = gzip.writeUInt32LE(task.crc32, at);
    at = gzip.writeUInt32LE(task.size, at);
  }
  const file = gzip.subarray(0, at);
  const areAlone = begins.every(
    (begin, index) => file.indexOf(MAGIC, begin + 1) === (begins[index + 1] ?? -1),
  );
  return areAlone ? file : undefined;
}

/** Reads entries that lie together, as they mostly do, at once. */
function reading(
  archive: ArchiveSource,
  tasks: readonly EntryTask[],
  scratch: Buffer,
): (task: EntryTask) => Buffer {
  const begin = Math.min(...tasks.map(({ dataOffset }) => dataOffset));
  const end = Math.max(...tasks.map(({ dataOffset, compressedSize }) => dataOffset + compressedSize));
  if (end - begin > scratch.length) {
    return (task) => readFully(archive, scratch.subarray(0, task.compressedSize), task.dataOffset);
  }
  const bytes = readFully(archive, scratch.subarray(0, end - begin), begin);
  return (task) => bytes.subarray(task.dataOffset - begin, task.dataOffset - begin + task.compressedSize);
}
