import { Readable } from 'node:stream';
import { createInflateRaw, type InflateRaw, inflateRawSync } from 'node:zlib';
import { type ArchiveSource, readFully } from './archive-source.ts';
import type { EntryTask } from './jobs.ts';
import type { ProofControl } from './proof-control.ts';

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
