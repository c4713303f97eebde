import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Ended, Fault, MAX_READ, type ManifestEntry, type Open, type Role } from '@pinfold/core';
import { checkProved } from './check-proved.ts';
import { GZIP_HEADER, gzipTrailer } from './gzip-member.ts';

/** A role ended while its file was being read; the answer cannot be completed. */
export class EndedMeanwhile extends Error {
  readonly ended: Ended;

  constructor(ended: Ended) {
    super('the role ended while its file was being read');
    this.name = 'EndedMeanwhile';
    this.ended = ended;
  }
}

/** Where pieces come from. */
export interface PieceSource {
  readonly open: Open;
  readonly role: Role;
  readonly entry: ManifestEntry;
  readonly signal: AbortSignal;
}

/** Bytes of an entry as they lie in the archive, one read a piece; the next is read when the last was taken. */
export async function* storedPieces(
  { open, role, entry, signal }: PieceSource,
  from = 0,
  length: number = entry.compressedSize,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  while (done < length) {
    const wanted = Math.min(MAX_READ, length - done);
    const read = await open.read(role, entry.offset + from + done, wanted, signal);
    if (read.kind !== 'bytes') throw new EndedMeanwhile(read);
    if (read.bytes.length !== wanted) {
      throw new Fault('store_corrupt', 'an archive is shorter than its manifest says');
    }
    yield read.bytes;
    done += wanted;
  }
}

/** A deflated entry as one gzip member. */
export async function* gzipPieces(source: PieceSource): AsyncGenerator<Uint8Array> {
  yield GZIP_HEADER;
  yield* storedPieces(source);
  yield gzipTrailer(source.entry);
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
  for await (const piece of inflated(source)) {
    const part = piece.subarray(Math.min(toSkip, piece.length)).subarray(0, left);
    toSkip -= Math.min(toSkip, piece.length);
    left -= part.length;
    if (part.length > 0) yield part;
    if (left === 0) return;
  }
  throw new Fault('store_corrupt', 'an entry expands to less than its manifest says');
}

const CHUNK = 65_536;

async function* inflated(source: PieceSource): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: CHUNK });
  const pumping = pipeline(Readable.from(storedPieces(source)), inflate);
  // What goes wrong there destroys the inflater, and is met where it is read.
  pumping.catch(() => {});
  try {
    yield* inflate as AsyncIterable<Uint8Array>;
  } finally {
    inflate.destroy();
  }
}
