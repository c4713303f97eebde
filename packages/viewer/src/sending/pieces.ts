import type { TransformOptions } from 'node:stream';
import { crc32, createInflateRaw, type InflateRaw, type ZlibOptions } from 'node:zlib';
import { Fault, type ManifestEntry, type Open, type Publication } from '@pinfold/core';
import type { Semaphore } from '@pinfold/core/adapter';
import {
  type ByteRange,
  EndedMeanwhile,
  JoinedPieces,
  type OutgoingAnswer,
  outgoingBytes,
  readPieces,
} from '@pinfold/http/internal';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { type Form, GZIP_HEADER, gzipTrailer } from './file-answer.ts';

export interface ReadingTools {
  readonly open: Open;
  readonly breaker: CircuitBreaker;
  /** Files that are inflated at once, client by client. */
  readonly turns: Semaphore<string>;
}

/** Where the bytes of a body lie, who asks for them and who counts them. */
export interface BodySource extends ReadingTools {
  readonly publication: Publication;
  readonly entry: ManifestEntry;
  /** The client whose turn an inflation takes. */
  readonly client: string;
  /** Aborts when the viewer has left. */
  readonly signal: AbortSignal;
  readonly outgoing: Pick<OutgoingAnswer, 'load'>;
}

/**
 * Bytes of an entry as they lie in the archive, from storage.
 *
 * @throws EndedMeanwhile when the publication has ended.
 * @throws Fault as `Open.read` does; `store_corrupt` when there are fewer bytes.
 */
export async function readStored(
  { open, publication, entry }: Pick<BodySource, 'open' | 'publication' | 'entry'>,
  at: number,
  length: number,
  end: AbortSignal,
): Promise<Uint8Array> {
  const read = await open.read(publication, entry.offset + at, length, end);
  if (read.kind !== 'bytes') throw new EndedMeanwhile(read);
  if (read.bytes.length === length) return read.bytes;
  throw new Fault('store_corrupt', 'an archive is shorter than its manifest says');
}

/** Bytes of an entry as they lie in the archive, one read a piece. */
export function storedPieces(
  source: BodySource,
  from = 0,
  length: number = source.entry.compressedSize,
): AsyncGenerator<Uint8Array> {
  const { breaker, outgoing, signal } = source;
  return readPieces({ from, to: from + length }, outgoing, (at, wanted) => {
    const read = (end: AbortSignal) => readStored(source, at, wanted, end);
    return at === from ? breaker.first(signal, read) : read(signal);
  });
}

/** Reads a part of what lies in the archive; without a part, all of it. */
type ReadPieces = (from?: number, length?: number) => AsyncIterableIterator<Uint8Array>;

/**
 * Bytes `from` to `to` of a form of an entry.
 *
 * @param read other than from storage.
 * @throws Fault `store_corrupt` when the archive is not what was proved.
 */
export function formPieces(
  source: BodySource,
  form: Pick<Form, 'gzip'>,
  { from, to }: ByteRange,
  read: ReadPieces = (...part) => storedPieces(source, ...part),
): AsyncIterableIterator<Uint8Array> {
  if (form.gzip) return gzipPieces(source, from, read);
  const { entry } = source;
  return entry.method === 'stored'
    ? new ExpandedPieces(entry, read(from, to - from), 0, to - from)
    : new ExpandedPieces(entry, inflatedPieces(source, read()), from, to - from);
}

/** A deflated entry as one gzip member. Its checksum at the end shows to clients whether it is whole. */
function gzipPieces(
  { entry }: BodySource,
  from: number,
  read: ReadPieces,
): AsyncIterableIterator<Uint8Array> {
  const data = Math.max(0, from - GZIP_HEADER.length);
  const pieces = read(data, entry.compressedSize - data);
  const trailer = gzipTrailer(entry).subarray(Math.max(0, data - entry.compressedSize));
  return new JoinedPieces(
    () => withHeader(GZIP_HEADER.subarray(from), pieces),
    () => pieces,
    () => [trailer].values(),
  );
}

/** The first piece, behind the header. */
async function* withHeader(
  header: Uint8Array,
  pieces: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const first = await pieces.next();
  // Not before the first bytes are there: what fails until then can still be answered.
  if (header.length > 0) yield header;
  if (first.done !== true) yield first.value;
}

/**
 * A part of an expanded entry. The end of a whole one is held back until it is proved. No generator: one that waits would
 * hold the piece that it gave last.
 */
class ExpandedPieces implements AsyncIterableIterator<Uint8Array> {
  readonly #entry: ManifestEntry;
  readonly #pieces: AsyncIterableIterator<Uint8Array>;
  readonly #isWhole: boolean;
  #toSkip: number;
  #left: number;
  #checksum = 0;
  #end: Uint8Array | undefined;
  #isOver = false;

  /** @param from where the part begins in the pieces. */
  constructor(entry: ManifestEntry, pieces: AsyncIterableIterator<Uint8Array>, from: number, length: number) {
    this.#entry = entry;
    this.#pieces = pieces;
    this.#isWhole = length === entry.size;
    this.#toSkip = from;
    this.#left = length;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (!this.#isOver) {
      const { value, done } = await this.#pieces.next();
      const part = done === true ? this.#proved() : this.#partOf(value);
      if (this.#isOver) await this.return();
      if (part.length > 0) return { value: part, done: false };
    }
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#isOver = true;
    await this.#pieces.return?.();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #partOf(piece: Uint8Array): Uint8Array {
    const part = piece.subarray(Math.min(this.#toSkip, piece.length)).subarray(0, this.#left);
    this.#toSkip -= Math.min(this.#toSkip, piece.length);
    this.#left -= part.length;
    if (!this.#isWhole) {
      this.#isOver = this.#left === 0;
      return part;
    }
    this.#checksum = crc32(piece, this.#checksum);
    // One that goes on behind its end is not what was proved.
    if (part.length < piece.length) throw notProved();
    if (this.#left > 0) return part;
    this.#end = part;
    return part.subarray(part.length);
  }

  /** The end, when there are no more pieces. */
  #proved(): Uint8Array {
    this.#isOver = true;
    if (this.#end === undefined || this.#checksum !== this.#entry.crc32) throw notProved();
    return this.#end;
  }
}

function notProved(): Fault {
  return new Fault('store_corrupt', 'an archive is not what was proved');
}

/** Expanded bytes that an inflater keeps to copy from (RFC 1951, section 3.2.5), beside a piece of output. */
const WINDOW = 32_768;

/** zlib takes another step as soon as a chunk is full, and none of less than this. */
const SPARE = 64;

/**
 * Expands the bytes of a deflated entry, a piece at each turn; between two, neither storage nor viewer keeps a place.
 *
 * @throws Fault `store_corrupt` when they are no deflate stream.
 */
export async function* inflatedPieces(
  source: Pick<BodySource, 'entry' | 'turns' | 'client' | 'signal' | 'outgoing'>,
  deflated: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { entry, turns, client, signal, outgoing } = source;
  const given = deflated[Symbol.asyncIterator]();
  const chunk = Math.min(outgoingBytes.piece, entry.size + SPARE);
  const inflater = new Inflater(chunk);
  let held = 0;
  const hold = (bytes: number): void => {
    outgoing.load(bytes - held);
    held = bytes;
  };
  hold(WINDOW + chunk);
  let isNew = true;
  try {
    for (let piece: Uint8Array | null = null; piece !== null || !inflater.isOver; ) {
      const more = inflater.isFed && !inflater.isOver ? await given.next() : undefined;
      if (more !== undefined) hold(WINDOW + chunk + (more.value?.length ?? 0));
      const giveBack = await turns.enter(client, signal, isNew);
      isNew = false;
      try {
        if (more !== undefined) inflater.feed(more.value);
        piece = await inflater.next();
      } finally {
        giveBack();
      }
      if (piece !== null) yield piece;
    }
  } finally {
    hold(0);
    inflater.stream.destroy();
    await given.return?.();
  }
}

/** Expands what it is given a piece at a time, and none ahead of who asks for it. */
class Inflater {
  readonly stream: InflateRaw;
  /** Whether it has expanded all it was given. */
  isFed = true;
  #wake = (): void => {};

  constructor(chunkSize: number) {
    const options: ZlibOptions & TransformOptions = { chunkSize, readableHighWaterMark: 0 };
    const wake = (): void => this.#wake();
    this.stream = createInflateRaw(options).on('readable', wake).on('error', wake);
  }

  get isOver(): boolean {
    return this.isFed && this.stream.writableEnded;
  }

  /** Gives it more bytes, or tells it by `undefined` that there are none. */
  feed(bytes: Uint8Array | undefined): void {
    this.isFed = false;
    const fed = (): void => {
      this.isFed = true;
      this.#wake();
    };
    if (bytes === undefined) this.stream.end(fed);
    else this.stream.write(bytes, fed);
  }

  /** The next piece; `null` when it has expanded all it was given before there is one. */
  async next(): Promise<Uint8Array | null> {
    for (;;) {
      const { errored: cause } = this.stream;
      if (cause) throw new Fault('store_corrupt', 'an entry that was proved cannot be inflated', { cause });
      const piece: Uint8Array | null = this.stream.read();
      if (piece !== null || this.isFed) return piece;
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }
}
