import type { TransformOptions } from 'node:stream';
import { crc32, createInflateRaw, type InflateRaw, type ZlibOptions } from 'node:zlib';
import { Fault, type ManifestEntry, type Open, type Publication } from '@pinfold/core';
import type { Semaphore } from '@pinfold/core/adapter';
import {
  type ByteRange,
  EndedMeanwhile,
  type OutgoingAnswer,
  outgoingBytes,
  readPieces,
} from '@pinfold/http/internal';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { type Form, GZIP_HEADER, gzipTrailer } from './file-answer.ts';

export interface ReadingTools {
  readonly open: Open;
  readonly breaker: CircuitBreaker;
  /** Bounds the files that are inflated at once, with a queue for each client. */
  readonly turns: Semaphore<string>;
}

/** The place of a body's bytes, the client that requests them, and the counter of its bytes. */
export interface BodySource extends ReadingTools {
  readonly publication: Publication;
  readonly entry: ManifestEntry;
  /** The client in whose queue an inflation waits. */
  readonly client: string;
  /** Aborts when the viewer has left. */
  readonly signal: AbortSignal;
  readonly outgoing: Pick<OutgoingAnswer, 'countLoaded'>;
}

/**
 * Reads bytes of an entry from storage, still compressed.
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

/** Reads bytes of an entry, still compressed, one piece per read. */
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

/** Reads a part of an entry's compressed bytes; without arguments, all of them. */
type ReadPieces = (from?: number, length?: number) => AsyncIterableIterator<Uint8Array>;

/**
 * Bytes `from` to `to` of a form of an entry.
 *
 * @param read reads compressed bytes. Default: from storage.
 * @throws Fault `store_corrupt` when the archive differs from the proved one.
 */
export function formPieces(
  source: BodySource,
  form: Pick<Form, 'gzip'>,
  { from, to }: ByteRange,
  read: ReadPieces = (...part) => storedPieces(source, ...part),
): AsyncIterableIterator<Uint8Array> {
  // To the end: gzip has no ranges.
  if (form.gzip) return gzipPieces(source, from, read);
  const { entry } = source;
  return entry.method === 'stored'
    ? expandedPieces(entry, read(from, to - from), 0, to - from)
    : expandedPieces(entry, inflatedPieces(source, read()), from, to - from);
}

/** A deflated entry as one gzip member, whose checksum lets clients verify it. */
async function* gzipPieces(
  { entry }: BodySource,
  from: number,
  read: ReadPieces,
): AsyncGenerator<Uint8Array> {
  const data = Math.max(0, from - GZIP_HEADER.length);
  const pieces = read(data, entry.compressedSize - data);
  let next: IteratorResult<Uint8Array> | undefined = await pieces.next();
  // Once the first bytes are read, so that an earlier failure can still be answered.
  if (from < GZIP_HEADER.length) yield GZIP_HEADER.subarray(from);
  while (next.done !== true) {
    yield next.value;
    // Otherwise the generator would hold the piece, uncounted, while the next one is read.
    next = undefined;
    next = await pieces.next();
  }
  yield gzipTrailer(entry).subarray(Math.max(0, data - entry.compressedSize));
}

/**
 * Yields `length` bytes of an expanded entry, from a position in its pieces. If that is the whole entry, yields the last
 * piece only once the checksum is verified.
 */
async function* expandedPieces(
  entry: ManifestEntry,
  pieces: AsyncIterableIterator<Uint8Array>,
  from: number,
  length: number,
): AsyncGenerator<Uint8Array> {
  const isWhole = length === entry.size;
  let toSkip = from;
  let remaining = length;
  let checksum = 0;
  const nextPart = async (): Promise<Uint8Array> => {
    for (;;) {
      const { value: piece, done } = await pieces.next();
      if (done === true) throw corruptFault();
      const part = piece.subarray(Math.min(toSkip, piece.length)).subarray(0, remaining);
      toSkip -= Math.min(toSkip, piece.length);
      remaining -= part.length;
      if (isWhole) {
        checksum = crc32(piece, checksum);
        const isEnd = remaining === 0;
        const hasMore = part.length < piece.length || (isEnd && (await pieces.next()).done !== true);
        if (hasMore || (isEnd && checksum !== entry.crc32)) throw corruptFault();
      }
      // Before the last part is sent, which may take long: an inflater holds memory.
      if (remaining === 0) await pieces.return?.();
      if (part.length > 0) return part;
    }
  };
  try {
    // Not in a variable, which would hold the part while the next one is read.
    while (remaining > 0) yield await nextPart();
  } finally {
    await pieces.return?.();
  }
}

function corruptFault(): Fault {
  return new Fault('store_corrupt', 'an archive is not what was proved');
}

/** Expanded bytes that an inflater holds besides its output: the window of RFC 1951, section 3.2.5. */
const WINDOW = 32_768;

/** Makes the chunk larger than the entry: zlib continues with another chunk once one is full. 64 is Node's minimum. */
const SPARE = 64;

/**
 * Expands the bytes of a deflated entry, one piece per turn. It holds no turn while it waits for storage or the viewer.
 *
 * @throws Fault `store_corrupt` when the bytes are not a deflate stream.
 */
export async function* inflatedPieces(
  source: Pick<BodySource, 'entry' | 'turns' | 'client' | 'signal' | 'outgoing'>,
  deflated: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { entry, turns, client, signal, outgoing } = source;
  const input = deflated[Symbol.asyncIterator]();
  const chunk = Math.min(outgoingBytes.piece, entry.size + SPARE);
  const inflater = new Inflater(chunk);
  let held = 0;
  const hold = (bytes: number): void => {
    outgoing.countLoaded(bytes - held);
    held = bytes;
  };
  hold(WINDOW + chunk);
  let isFirst = true;
  try {
    for (let piece: Uint8Array | null = null; piece !== null || !inflater.isEnded; ) {
      const fresh = inflater.isDrained && !inflater.isEnded ? await input.next() : undefined;
      if (fresh !== undefined) hold(WINDOW + chunk + (fresh.value?.length ?? 0));
      const leaveTurn = await turns.enter(client, signal, isFirst);
      isFirst = false;
      try {
        if (fresh !== undefined) inflater.feed(fresh.value);
        piece = await inflater.next();
      } finally {
        leaveTurn();
      }
      if (piece !== null) yield piece;
    }
  } finally {
    hold(0);
    inflater.stream.destroy();
    await input.return?.();
  }
}

/** Expands bytes one piece at a time, and only on request. */
class Inflater {
  readonly stream: InflateRaw;
  /** Whether it has expanded all input. */
  isDrained = true;
  #wake = (): void => {};

  constructor(chunkSize: number) {
    const options: ZlibOptions & TransformOptions = { chunkSize, readableHighWaterMark: 0 };
    const wake = (): void => this.#wake();
    this.stream = createInflateRaw(options).on('readable', wake).on('error', wake);
  }

  get isEnded(): boolean {
    return this.isDrained && this.stream.writableEnded;
  }

  /** Adds input; `undefined` ends it. */
  feed(bytes: Uint8Array | undefined): void {
    this.isDrained = false;
    const drained = (): void => {
      this.isDrained = true;
      this.#wake();
    };
    if (bytes === undefined) this.stream.end(drained);
    else this.stream.write(bytes, drained);
  }

  /** Returns the next piece; `null` if there is none before all input is expanded. */
  async next(): Promise<Uint8Array | null> {
    for (;;) {
      const { errored: cause } = this.stream;
      if (cause) throw new Fault('store_corrupt', 'an entry that was proved cannot be inflated', { cause });
      const piece: Uint8Array | null = this.stream.read();
      if (piece !== null || this.isDrained) return piece;
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }
}
