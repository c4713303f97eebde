import type { TransformOptions } from 'node:stream';
import { crc32, createInflateRaw, type InflateRaw, type ZlibOptions } from 'node:zlib';
import { type Ended, Fault, type ManifestEntry, type Publication } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { loopTurns, type OutgoingAnswer, outgoingBytes } from '@pinfold/http/internal';
import { type Bodies, type BodyTools, checkProved, GZIP_HEADER, gzipTrailer, partOf } from './bodies.ts';
import type { Form } from './site-files.ts';

/** Where the bytes of an answer come from, and who counts them. */
export interface PieceSource extends BodyTools {
  readonly publication: Publication;
  readonly entry: ManifestEntry;
  /** The client whose turn an inflation takes. */
  readonly client: string;
  /** Aborts when the viewer has left. */
  readonly signal: AbortSignal;
  readonly outgoing: Pick<OutgoingAnswer, 'load'>;
}

/** A publication ended while its file was being read; the answer cannot be completed. */
export class EndedMeanwhile extends Error {
  readonly ended: Ended;

  constructor(ended: Ended) {
    super();
    this.ended = ended;
  }
}

/**
 * Bytes `from` to `to` of a body, the next piece when the last was taken. Copies while memory has the body, so that a slow
 * viewer does not hold all of it; then from the archive.
 */
export async function* bodyPieces(
  source: PieceSource,
  bodies: Pick<Bodies, 'hot'>,
  form: Form,
  from: number,
  to: number,
): AsyncGenerator<Uint8Array> {
  let at = from;
  for (let body = bodies.hot(form); body !== undefined && at < to; body = bodies.hot(form)) {
    if (!loopTurns.takeNow()) await loopTurns.wait();
    const piece = Uint8Array.from(partOf(body, at, Math.min(to, at + outgoingBytes.piece)));
    yield piece;
    at += piece.length;
  }
  if (at === to) return;
  yield* form.gzip ? gzipPieces(source, at) : expandedPieces(source, at, to - at);
}

/**
 * Bytes of an entry as they lie in the archive, one read a piece; the next is read when the last was taken. Pieces are
 * large while there is room and no request waits for its turn.
 */
export async function* storedPieces(
  source: PieceSource,
  from = 0,
  length: number = source.entry.compressedSize,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  while (done < length) {
    if (!loopTurns.takeNow()) await loopTurns.wait();
    const left = Math.min(MAX_READ, length - done);
    const isLarge = outgoingBytes.hasRoomFor(left) && !loopTurns.isBusy;
    const wanted = isLarge ? left : Math.min(outgoingBytes.piece, left);
    source.outgoing.load(wanted);
    let piece: Uint8Array;
    try {
      piece = await readPiece(source, from + done, wanted, done === 0);
    } finally {
      source.outgoing.load(-wanted);
    }
    yield piece;
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

/** Expanded bytes that an inflater keeps to copy from (RFC 1951, section 3.2.5), beside a piece of output. */
const WINDOW = 32_768;

/** Expands the bytes of a deflated entry, a piece at each turn; between two, neither storage nor viewer keeps a place. */
export async function* inflatedPieces(
  source: Pick<PieceSource, 'turns' | 'client' | 'signal' | 'outgoing'>,
  deflated: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { outgoing } = source;
  const inflater = new Inflater(source);
  const held = WINDOW + outgoingBytes.piece;
  outgoing.load(held);
  try {
    for await (const bytes of deflated) {
      outgoing.load(bytes.length);
      try {
        yield* inflater.expand(bytes);
      } finally {
        outgoing.load(-bytes.length);
      }
    }
    yield* inflater.expand(undefined);
  } finally {
    outgoing.load(-held);
    inflater.destroy();
  }
}

class Inflater {
  readonly #takeTurn: () => Promise<() => void>;
  readonly #stream: InflateRaw = createInflateRaw({
    chunkSize: outgoingBytes.piece,
    // A piece at a time, and none ahead of who asks for it.
    readableHighWaterMark: 0,
  } as ZlibOptions & TransformOptions);
  readonly #pieces: AsyncIterator<Uint8Array> = this.#stream[Symbol.asyncIterator]();
  /** The next piece, once it was asked for. */
  #next: Promise<IteratorResult<Uint8Array>> | undefined;
  #isFed = false;
  /** Ends the wait for a piece: none may come before more bytes do. */
  #stopWaiting = (): void => {};

  constructor({ turns, client, signal }: Pick<PieceSource, 'turns' | 'client' | 'signal'>) {
    let isNew = true;
    this.#takeTurn = () => {
      const turn = turns.enter(client, signal, isNew);
      isNew = false;
      return turn;
    };
  }

  /** Inflates more bytes, or, without any, flushes the rest. */
  async *expand(bytes: Uint8Array | undefined): AsyncGenerator<Uint8Array> {
    let isGiven = false;
    const step = async (): Promise<Uint8Array | undefined> => {
      const giveBack = await this.#takeTurn();
      try {
        if (!isGiven) this.#feed(bytes);
        isGiven = true;
        this.#next ??= this.#pieces.next();
        const outcome = await this.#nextUnlessFed(this.#next);
        if (outcome === undefined) return undefined;
        this.#next = undefined;
        return outcome.value;
      } finally {
        giveBack();
      }
    };
    for (let piece = await step(); piece !== undefined; piece = await step()) yield piece;
  }

  #feed(bytes: Uint8Array | undefined): void {
    this.#isFed = false;
    // The stream ends with its last piece, after the last bytes. Its errors surface where pieces are read.
    if (bytes === undefined) this.#stream.end();
    else {
      this.#stream.write(bytes, () => {
        this.#isFed = true;
        this.#stopWaiting();
      });
    }
  }

  /**
   * The next piece; `undefined` when the inflater has taken all it was given before there is one. No promise lasts from
   * one piece to the next: it would keep every piece that was raced against it.
   */
  #nextUnlessFed(next: Promise<IteratorResult<Uint8Array>>): Promise<IteratorResult<Uint8Array> | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Uint8Array> | undefined>();
    this.#stopWaiting = () => resolve(undefined);
    if (this.#isFed) this.#stopWaiting();
    // Handled at once: an unawaited rejection would end the process.
    next.then(resolve, reject);
    return promise;
  }

  destroy(): void {
    this.#stream.destroy();
  }
}
