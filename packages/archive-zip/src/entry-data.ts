import { Readable } from 'node:stream';
import { createInflateRaw, gunzipSync, inflateRawSync } from 'node:zlib';
import { type ArchiveSource, readFully } from './archive-source.ts';
import type { EntryTask, ProofControl } from './jobs.ts';

/** Bytes that are read and inflated at once, for an entry that is not inflated whole. */
const PIECE_BYTES = 262_144;

/** An entry inflated whole: its bytes, or how they differ from the declaration. */
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
    if (isTooLong(error)) return 'more_than_declared';
    throw error;
  }
}

export interface PieceSource {
  readonly archive: ArchiveSource;
  /** Ends the reading when the proof, the check of the whole archive, is stopped. */
  readonly control: ProofControl;
}

/** How reading an entry ended: at the declared length, at corrupt data, or because `onPiece` stopped it. */
export type PiecesEnd = 'exact' | 'corrupt' | 'stopped';

export type CompressedData = Pick<EntryTask, 'method' | 'compressedSize' | 'dataOffset'>;

/** Reads an entry of any size in pieces, with a few of them in memory. `onPiece` returns whether to continue. */
export async function readPieces(
  task: CompressedData,
  source: PieceSource,
  onPiece: (piece: Buffer) => boolean,
  pieceBytes: number = PIECE_BYTES,
): Promise<PiecesEnd> {
  const pieces = piecesOf(task, source, pieceBytes);
  if (task.method !== 0) return inflatePieces(pieces, task, onPiece, pieceBytes);
  for (const piece of pieces) if (!onPiece(piece)) return 'stopped';
  return 'exact';
}

async function inflatePieces(
  pieces: Iterable<Buffer>,
  task: CompressedData,
  onPiece: (piece: Buffer) => boolean,
  chunkSize: number,
): Promise<PiecesEnd> {
  const source = Readable.from(pieces);
  const inflater = createInflateRaw({ chunkSize });
  source.once('error', (error) => inflater.destroy(error));
  source.pipe(inflater);
  try {
    for await (const piece of inflater) if (!onPiece(piece as Buffer)) return 'stopped';
    return inflater.bytesWritten === task.compressedSize ? 'exact' : 'corrupt';
  } catch (error) {
    if (isZlibError(error)) return 'corrupt';
    throw error;
  } finally {
    source.destroy();
  }
}

function* piecesOf(
  task: CompressedData,
  { archive, control }: PieceSource,
  pieceBytes: number,
): Generator<Buffer> {
  for (let from = 0; from < task.compressedSize; from += pieceBytes) {
    control.throwIfStopped();
    const length = Math.min(pieceBytes, task.compressedSize - from);
    yield readFully(archive, Buffer.allocUnsafe(length), task.dataOffset + from);
  }
}

/** Whether zlib rejected the data: an invalid or truncated stream, or one that needs a dictionary. */
function isZlibError(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR' || code === 'Z_NEED_DICT';
}

/** Whether there are more bytes than `maxOutputLength`. */
function isTooLong(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
}

/** The largest entry that is inflated in a batch; larger ones gain nothing. */
const MAX_ENTRY_BYTES = 65_536;
/** The bounds of a batch: compressed bytes, expanded bytes and entries. */
const MAX_BATCH_COMPRESSED_BYTES = 131_072;
const MAX_BATCH_BYTES = 524_288;
const MAX_BATCH_ENTRIES = 256;

/** The header of a member of a gzip file (RFC 1952, section 2.3), and the bytes with which each member begins. */
const MEMBER_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const MEMBER_MAGIC = MEMBER_HEADER.subarray(0, 3);
const MEMBER_TRAILER_BYTES = 8;

/** Room for the gzip file of a batch: one buffer for each thread, which inflates one batch at a time. */
let gzipBuffer: Buffer | undefined;

/**
 * The next entries that can be inflated together; fewer than two if there is no batch. Excludes empty entries, since a
 * stream that continues into the next entry could pass for two correct entries.
 */
export function nextBatch(tasks: readonly EntryTask[], from: number): readonly EntryTask[] {
  let compressedBytes = 0;
  let bytes = 0;
  let end = from;
  for (; end < tasks.length && end - from < MAX_BATCH_ENTRIES; end += 1) {
    const { method, compressedSize, size } = tasks[end] as EntryTask;
    if (method !== 8 || size === 0 || Math.max(size, compressedSize) > MAX_ENTRY_BYTES) break;
    compressedBytes += compressedSize;
    bytes += size;
    if (compressedBytes > MAX_BATCH_COMPRESSED_BYTES || bytes > MAX_BATCH_BYTES) break;
  }
  return tasks.slice(from, end);
}

/**
 * Inflates small entries as the members of one gzip file, since creating an inflater takes longer than a small entry. Each
 * member ends with the CRC-32 and the size that the directory declares, which zlib compares. No other member can begin
 * inside of an entry, and none is empty: so the bytes are complete only if each stream ends where its entry does.
 *
 * @returns the bytes of all entries, one after another; undefined if an entry is not as declared, or if its data contain
 * the beginning of a gzip member.
 */
export function inflateBatch(
  archive: ArchiveSource,
  tasks: readonly EntryTask[],
  scratch: Buffer,
): Buffer | undefined {
  const file = gzipFileOf(archive, tasks, scratch);
  if (file === undefined) return undefined;
  const size = tasks.reduce((sum, task) => sum + task.size, 0);
  try {
    const bytes = gunzipSync(file, { chunkSize: Math.max(size + 1, 64), maxOutputLength: size + 1 });
    return bytes.length === size ? bytes : undefined;
  } catch (error) {
    if (isZlibError(error) || isTooLong(error)) return undefined;
    throw error;
  }
}

function gzipFileOf(
  archive: ArchiveSource,
  tasks: readonly EntryTask[],
  scratch: Buffer,
): Buffer | undefined {
  gzipBuffer ??= Buffer.allocUnsafeSlow(
    MAX_BATCH_COMPRESSED_BYTES + MAX_BATCH_ENTRIES * (MEMBER_HEADER.length + MEMBER_TRAILER_BYTES),
  );
  const compressedOf = compressedReader(archive, tasks, scratch);
  const begins: number[] = [];
  let at = 0;
  for (const task of tasks) {
    begins.push(at);
    at += MEMBER_HEADER.copy(gzipBuffer, at);
    at += compressedOf(task).copy(gzipBuffer, at);
    at = gzipBuffer.writeUInt32LE(task.crc32, at);
    at = gzipBuffer.writeUInt32LE(task.size, at);
  }
  const file = gzipBuffer.subarray(0, at);
  const areOnlyMembers = begins.every(
    (begin, index) => file.indexOf(MEMBER_MAGIC, begin + 1) === (begins[index + 1] ?? -1),
  );
  return areOnlyMembers ? file : undefined;
}

/** Returns a function that reads the compressed data of an entry. Entries near each other, as most are, are read at once. */
function compressedReader(
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
