import { crc32 } from 'node:zlib';
import { type Ended, Fault, type ManifestEntry } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { loopTurns } from '@pinfold/http/internal';
import { type Bodies, partOf } from './bodies.ts';
import type { PieceSource } from './byte-source.ts';
import { GZIP_HEADER, gzipTrailer } from './gzip-member.ts';
import { inflatedPieces } from './inflated-pieces.ts';
import { heldBytes, PIECE } from './memory-budget.ts';
import type { Form } from './site-files.ts';

/** A publication ended while its file was being read; the answer cannot be completed. */
export class EndedMeanwhile extends Error {
  readonly ended: Ended;

  constructor(ended: Ended) {
    super();
    this.ended = ended;
  }
}

/**
 * Bytes of an entry as they lie in the archive, one read a piece; the next is read when the last was taken. Pieces are
 * large while the memory budget has room and no request waits for its turn, else small.
 */
export async function* storedPieces(
  source: PieceSource,
  from = 0,
  length: number = source.entry.compressedSize,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  while (done < length) {
    if (!loopTurns.takeNow()) await loopTurns.wait();
    const large = Math.min(MAX_READ, length - done);
    const release = large > PIECE && !loopTurns.isBusy ? heldBytes.take(large, source.mostHeld) : undefined;
    const wanted = release === undefined ? Math.min(heldBytes.piece, large) : large;
    try {
      yield await readPiece(source, from + done, wanted, done === 0);
    } finally {
      release?.();
    }
    done += wanted;
  }
}

async function readPiece(
  { open, breaker, publication, entry, signal }: PieceSource,
  at: number,
  length: number,
  isFirst: boolean,
): Promise<Uint8Array> {
  const readUntil = (end: AbortSignal) => open.read(publication, entry.offset + at, length, end);
  const read = isFirst ? await breaker.first(signal, readUntil) : await readUntil(signal);
  if (read.kind !== 'bytes') throw new EndedMeanwhile(read);
  if (read.bytes.length !== length) {
    throw new Fault('store_corrupt', 'an archive is shorter than its manifest says');
  }
  return read.bytes;
}

/** A deflated entry as one gzip member. */
export async function* gzipPieces(source: PieceSource, from = 0): AsyncGenerator<Uint8Array> {
  const { entry } = source;
  const data = Math.max(0, from - GZIP_HEADER.length);
  let header = GZIP_HEADER.subarray(from);
  for await (const piece of storedPieces(source, data, entry.compressedSize - data)) {
    // Not before the first bytes are there: what fails until then can still be answered.
    if (header.length > 0) yield header;
    header = header.subarray(header.length);
    yield piece;
  }
  yield gzipTrailer(entry).subarray(Math.max(0, data - entry.compressedSize));
}

/** Bytes `from` to `from + length` of an expanded entry. The end of a whole one is held back until it is proved. */
export function expandedPieces(
  source: PieceSource,
  from: number,
  length: number,
): AsyncGenerator<Uint8Array> {
  const { entry } = source;
  const pieces =
    entry.method === 'stored' ? storedPieces(source, from, length) : inflatedPart(source, from, length);
  return length === entry.size ? proved(entry, pieces) : pieces;
}

async function* proved(entry: ManifestEntry, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  let checksum = 0;
  for await (const piece of pieces) {
    length += piece.length;
    checksum = crc32(piece, checksum);
    if (length === entry.size) checkProved(entry, length, checksum);
    yield piece;
  }
}

async function* inflatedPart(source: PieceSource, from: number, length: number): AsyncGenerator<Uint8Array> {
  let toSkip = from;
  let left = length;
  for await (const piece of inflatedPieces(source, storedPieces(source))) {
    const part = piece.subarray(Math.min(toSkip, piece.length)).subarray(0, left);
    toSkip -= Math.min(toSkip, piece.length);
    left -= part.length;
    if (part.length > 0) yield part;
    if (left === 0) return;
  }
  throw new Fault('store_corrupt', 'an entry expands to less than its manifest says');
}

/** Bytes `from` to `to` of a body in copies, out of memory as long as it is there: it is not held for a slow viewer. */
export async function* copiedPieces(
  source: PieceSource,
  bodies: Bodies,
  form: Form,
  from: number,
  to: number,
): AsyncGenerator<Uint8Array> {
  let at = from;
  while (at < to) {
    if (!loopTurns.takeNow()) await loopTurns.wait();
    const body = bodies.hot(form);
    if (body === undefined) break;
    const piece = partOf(body, at, Math.min(to, at + heldBytes.piece));
    yield Uint8Array.from(piece);
    at += piece.length;
  }
  if (at === to) return;
  yield* form.gzip ? gzipPieces(source, at) : expandedPieces(source, at, to - at);
}

/**
 * Compares what was read of an expanded entry with what was proved of it.
 *
 * @throws Fault `store_corrupt` when storage gave other bytes.
 */
export function checkProved(
  entry: Pick<ManifestEntry, 'size' | 'crc32'>,
  length: number,
  checksum: number,
): void {
  if (length !== entry.size || checksum !== entry.crc32) {
    throw new Fault('store_corrupt', 'an archive is not what was proved');
  }
}
