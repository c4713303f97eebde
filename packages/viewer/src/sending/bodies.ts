import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { type Ended, Fault, type ManifestEntry, type Open } from '@pinfold/core';
import { type Gate, MAX_READ, raceSignal } from '@pinfold/core/adapter';
import { ownBytes } from '@pinfold/http/internal';
import { LRUCache } from 'lru-cache';
import type { CacheFigures } from '../viewer-options.ts';
import { type CircuitBreaker, UnavailableError } from './circuit-breaker.ts';
import type { PieceSource } from './pieces.ts';
import type { Form } from './site-files.ts';

const inflate = promisify(inflateRaw);

/** Bodies up to this size, in bytes, are texts. */
const MAX_TEXT = 8_192;

/** zlib makes another buffer as soon as one is full, and none of less than this. */
const SPARE = 64;

/** The most bytes of a body that is sent whole: what one read gives, with a gzip header and trailer around it. */
export const MAX_WHOLE: number = MAX_READ + 64;

/** A small one is a text, a byte each character: Node joins a text with the head and sends both as one piece. */
export type Body = string | Buffer;

/** A part of a body, which shares its memory if it is a large one. */
export function partOf(body: Body, from: number, to: number): Buffer {
  return typeof body === 'string' ? Buffer.from(body.slice(from, to), 'latin1') : body.subarray(from, to);
}

/** A whole body, unless the publication ended meanwhile. */
export type Loaded = { readonly kind: 'body'; readonly body: Body } | Ended;

export type BodyRequest = Pick<PieceSource, 'publication' | 'entry' | 'client' | 'signal'> & {
  readonly form: Form;
};

export interface BodyTools {
  readonly open: Open;
  readonly breaker: CircuitBreaker;
  /** Files that are inflated at once, client by client. */
  readonly turns: Gate<string>;
}

/** A body on its way into memory, for all who wait for it. */
interface Loading {
  /** The client whose turn the inflation takes. */
  readonly client: string;
  /** Settles when storage has answered. */
  readonly read: Promise<unknown>;
  readonly whole: Promise<Loaded>;
  readonly end: AbortController;
  viewers: number;
}

/** A cache of whole bodies. Concurrent requests for one body share one read. */
export class Bodies implements CacheFigures {
  hits = 0;
  misses = 0;
  readonly #tools: BodyTools;
  readonly #hot: LRUCache<string, Body> | undefined;
  readonly #loading = new Map<string, Loading>();

  /** @param bytes of memory for them; 0 keeps none. */
  constructor(tools: BodyTools, bytes: number) {
    this.#tools = tools;
    this.#hot =
      bytes > 0
        ? new LRUCache({ maxSize: bytes, sizeCalculation: (body, key) => sizeOf(body) + key.length + 256 })
        : undefined;
  }

  /**
   * Whether a body, or the part of it from `first`, is read and cached whole rather than piece by piece. A part of a
   * stored file is read as that part. For one far inside a deflated file, all before it would be inflated each time.
   */
  caches(entry: ManifestEntry, form: Form, first: number | undefined): boolean {
    if (entry.compressedSize > MAX_READ) return false;
    if (form.length <= MAX_WHOLE) return first === undefined || entry.method === 'deflated';
    const { maxSize = 0 } = this.#hot ?? {};
    return (first ?? 0) >= MAX_READ && entry.method === 'deflated' && form.length <= maxSize / 4;
  }

  get bytes(): number {
    return this.#hot?.calculatedSize ?? 0;
  }

  /** A body that is in memory, for an answer; that it was there is counted. */
  take(form: Form): Body | undefined {
    const body = this.hot(form);
    if (body !== undefined) this.hits += 1;
    return body;
  }

  hot(form: Form): Body | undefined {
    return this.#hot?.get(form.key);
  }

  /** Whether a body takes no further memory: it is cached or being loaded. */
  isAtHand(form: Form): boolean {
    return this.#hot?.has(form.key) === true || this.#loading.has(form.key);
  }

  /**
   * Reads a body. What several wait for is given up when the last of them leaves.
   *
   * @throws Fault as `Open.read` does; `store_corrupt` when the archive is not what was proved.
   * @throws UnavailableError when storage gives nothing, or too many files wait to be inflated.
   */
  async load(wanted: BodyRequest): Promise<Loaded> {
    for (;;) {
      const hot = this.hot(wanted.form);
      const loaded: Loaded | undefined =
        hot === undefined ? await this.#share(wanted) : { kind: 'body', body: hot };
      if (loaded !== undefined) return loaded;
    }
  }

  /** Joins those who wait for a body; `undefined` when it stood in the line of another client, which is too long. */
  async #share(wanted: BodyRequest): Promise<Loaded | undefined> {
    const { form, signal } = wanted;
    let leave = (): void => {};
    try {
      const { whole, client } = await this.#tools.breaker.first(signal, async () => {
        const loading = this.#join(wanted);
        leave = () => this.#leave(form, loading);
        await loading.read;
        return loading;
      });
      const mayTryAgain = (error: unknown): undefined => {
        if (error instanceof UnavailableError && client !== wanted.client) return undefined;
        throw error;
      };
      return await raceSignal(whole.catch(mayTryAgain), signal);
    } finally {
      leave();
    }
  }

  #join(wanted: BodyRequest): Loading {
    const { key } = wanted.form;
    const loading = this.#loading.get(key) ?? this.#begin(wanted);
    loading.viewers += 1;
    return loading;
  }

  #begin(wanted: BodyRequest): Loading {
    this.misses += 1;
    const { key } = wanted.form;
    const end = new AbortController();
    const { publication, entry, client } = wanted;
    const read = this.#tools.open.read(publication, entry.offset, entry.compressedSize, end.signal);
    const whole = read.then((bytes) => this.#make(wanted, bytes, end.signal));
    const loading: Loading = { client, read, whole, end, viewers: 0 };
    this.#loading.set(key, loading);
    const done = (): void => this.#forget(key, loading);
    // Waiting requests handle the outcome themselves.
    whole.then(done, done);
    return loading;
  }

  #leave({ key }: Form, loading: Loading): void {
    loading.viewers -= 1;
    if (loading.viewers > 0 || this.#loading.get(key) !== loading) return;
    this.#loading.delete(key);
    loading.end.abort();
  }

  #forget(key: string, loading: Loading): void {
    if (this.#loading.get(key) === loading) this.#loading.delete(key);
  }

  async #make(
    { entry, form, client }: BodyRequest,
    read: Awaited<ReturnType<Open['read']>>,
    end: AbortSignal,
  ): Promise<Loaded> {
    if (read.kind !== 'bytes') return read;
    if (read.bytes.length !== entry.compressedSize) {
      throw new Fault('store_corrupt', 'an archive is shorter than its manifest says');
    }
    const inflating = !form.gzip && entry.method === 'deflated';
    const giveBack = inflating ? await this.#tools.turns.enter(client, end) : undefined;
    try {
      const body = bodyOf(await bytesOf(entry, form, read.bytes));
      this.#hot?.set(form.key, body);
      return { kind: 'body', body };
    } finally {
      giveBack?.();
    }
  }
}

/** Bytes in memory: a body must not keep a larger buffer that is not counted, such as Node's pool. */
function sizeOf(body: Body): number {
  return typeof body === 'string' ? body.length : body.buffer.byteLength;
}

function bodyOf(bytes: Buffer): Body {
  if (bytes.length <= MAX_TEXT) return bytes.toString('latin1');
  return bytes.buffer.byteLength <= bytes.length + SPARE ? bytes : ownBytes(bytes);
}

async function bytesOf(entry: ManifestEntry, form: Form, bytes: Uint8Array): Promise<Buffer> {
  // A gzip member ends with a checksum, so clients notice a truncated one.
  if (form.gzip) return gzipMember(entry, bytes);
  const whole =
    entry.method === 'stored'
      ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      : await inflated(entry, bytes);
  checkProved(entry, whole.length, await checksumOf(whole));
  return whole;
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

/** A long one leaves room for others between. */
async function checksumOf(bytes: Buffer): Promise<number> {
  let checksum = crc32(bytes.subarray(0, MAX_READ));
  for (let at = MAX_READ; at < bytes.length; at += MAX_READ) {
    await setImmediate();
    checksum = crc32(bytes.subarray(at, at + MAX_READ), checksum);
  }
  return checksum;
}

async function inflated(entry: ManifestEntry, bytes: Uint8Array): Promise<Buffer> {
  try {
    return await inflate(bytes, { maxOutputLength: entry.size, chunkSize: entry.size + SPARE });
  } catch (cause) {
    throw new Fault('store_corrupt', 'an entry that was proved cannot be inflated', { cause });
  }
}

/** The header of a gzip member without name or time (RFC 1952, section 2.3). */
export const GZIP_HEADER: Uint8Array = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

const TRAILER_LENGTH = 8;

export function gzipLength(entry: Pick<ManifestEntry, 'compressedSize'>): number {
  return GZIP_HEADER.length + entry.compressedSize + TRAILER_LENGTH;
}

/** CRC-32 and size of the expanded bytes, as a gzip member ends with them. */
export function gzipTrailer(entry: Pick<ManifestEntry, 'crc32' | 'size'>): Uint8Array {
  const trailer = Buffer.alloc(TRAILER_LENGTH);
  trailer.writeUInt32LE(entry.crc32);
  trailer.writeUInt32LE(entry.size, 4);
  return trailer;
}

/** Wraps an entry's untouched deflate stream into a gzip member. */
export function gzipMember(entry: Pick<ManifestEntry, 'crc32' | 'size'>, deflated: Uint8Array): Buffer {
  return Buffer.concat([GZIP_HEADER, deflated, gzipTrailer(entry)]);
}
