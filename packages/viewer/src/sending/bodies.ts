import type { ManifestEntry } from '@pinfold/core';
import { MAX_READ, raceSignal } from '@pinfold/core/adapter';
import { loopTurns, outgoingBytes, SMALL_ANSWER, UnavailableError } from '@pinfold/http/internal';
import { LRUCache } from 'lru-cache';
import type { CacheStatistics } from '../viewer-options.ts';
import type { Form } from './file-answer.ts';
import { type BodySource, formPieces, readStored } from './pieces.ts';

/** Bodies up to this size, in bytes, are cached as strings. */
const MAX_TEXT = 8_192;

/** The maximum number of bytes of a body that is sent whole: one read, with a gzip header and trailer. */
export const MAX_WHOLE: number = MAX_READ + 64;

/** A small body is a string with one character per byte: Node sends a string together with the head. */
export type Body = string | Buffer;

/** Returns a part of a body, which shares the memory of a large body. */
export function partOf(body: Body, from: number, to: number): Buffer {
  return typeof body === 'string' ? Buffer.from(body.slice(from, to), 'latin1') : body.subarray(from, to);
}

/** A body that is being loaded, for all requests that wait for it. */
interface Loading {
  /** The client in whose queue the inflation waits. */
  readonly client: string;
  /** Settles when storage has answered. */
  readonly read: Promise<unknown>;
  readonly whole: Promise<Body>;
  readonly end: AbortController;
  viewers: number;
}

/** A cache of whole bodies. Concurrent requests for one body share one read. */
export class Bodies implements CacheStatistics {
  hits = 0;
  misses = 0;
  readonly #hot: LRUCache<string, Body>;
  readonly #loading = new Map<string, Loading>();

  /** @param bytes the size of the cache; 0 caches nothing. */
  constructor(bytes: number) {
    this.#hot = new LRUCache({
      maxSize: Math.max(1, bytes),
      sizeCalculation: (body, key) => body.length + key.length + 256,
    });
  }

  /**
   * Whether a body, or the part of it from `first`, is read and cached whole rather than piece by piece. A part of a
   * stored file can be read alone. A part far inside a deflated file is cached, or all before it would be inflated again
   * for the next part.
   */
  caches(entry: ManifestEntry, form: Form, first: number | undefined): boolean {
    if (entry.compressedSize > MAX_READ) return false;
    if (form.length <= MAX_WHOLE) return first === undefined || entry.method === 'deflated';
    const { maxSize } = this.#hot;
    return (first ?? 0) >= MAX_READ && entry.method === 'deflated' && form.length <= maxSize / 4;
  }

  get bytes(): number {
    return this.#hot.calculatedSize;
  }

  cached(form: Form): Body | undefined {
    return this.#hot.get(form.key);
  }

  /** Whether a body is being loaded, so that another request for it needs no further memory. */
  isLoading(form: Form): boolean {
    return this.#loading.has(form.key);
  }

  /**
   * Bytes `from` to `to` of a body, piece by piece: copies from the cache while it has the body, so that a slow viewer
   * does not hold all of it, then reads from the archive.
   */
  async *pieces(source: BodySource, form: Form, from: number, to: number): AsyncGenerator<Uint8Array> {
    // A small page must not wait for the turns of large answers.
    const kind = to - from <= SMALL_ANSWER ? 'cheap' : 'costly';
    let at = from;
    while (at < to && this.cached(form) !== undefined) {
      if (!loopTurns.takeNow(kind)) await loopTurns.wait(kind);
      let piece = this.#copyOf(form, at, Math.min(to, at + outgoingBytes.piece));
      if (piece === undefined) break;
      at += piece.length;
      yield piece;
      // Otherwise the generator would hold the piece until the next turn.
      piece = undefined;
    }
    if (at === to) return;
    const rest = formPieces(source, form, { from: at, to });
    try {
      let next: IteratorResult<Uint8Array> | undefined = await rest.next();
      while (next.done !== true) {
        yield next.value;
        // `yield*` would hold the last piece, uncounted, while it reads the next one.
        next = undefined;
        next = await rest.next();
      }
    } finally {
      await rest.return?.();
    }
  }

  #copyOf(form: Form, from: number, to: number): Uint8Array | undefined {
    const body = this.cached(form);
    return body === undefined ? undefined : Uint8Array.from(partOf(body, from, to));
  }

  /**
   * Reads a body. Concurrent requests share one read, which is aborted when the last of them leaves.
   *
   * @throws EndedMeanwhile, Fault as {@link readStored} and {@link formPieces} do.
   * @throws UnavailableError when storage does not answer, or too many files wait to be inflated.
   */
  async load(source: BodySource, form: Form): Promise<Body> {
    const hot = this.cached(form);
    if (hot !== undefined) return hot;
    const { breaker, signal, client } = source;
    let leave = (): void => {};
    try {
      const joined = await breaker.first(signal, async () => {
        const loading = this.#loading.get(form.key) ?? this.#beginLoad(source, form);
        loading.viewers += 1;
        leave = () => this.#leave(form, loading);
        await loading.read;
        return loading;
      });
      const tryAgain = (error: unknown): Promise<Body> => {
        // The load waited in the full queue of another client; this client's own may have room.
        if (error instanceof UnavailableError && joined.client !== client) return this.load(source, form);
        throw error;
      };
      return await raceSignal(joined.whole.catch(tryAgain), signal);
    } finally {
      leave();
    }
  }

  #beginLoad(source: BodySource, form: Form): Loading {
    this.misses += 1;
    const { entry, client } = source;
    const end = new AbortController();
    // Counts the bytes once, and for no single answer, since several may wait for them.
    const shared = { ...source, signal: end.signal, outgoing: outgoingBytes };
    outgoingBytes.countLoaded(form.length);
    const read = readStored(shared, 0, entry.compressedSize, end.signal);
    const whole = read.then((bytes) => this.#expand(shared, form, bytes));
    const loading: Loading = { client, read, whole, end, viewers: 0 };
    this.#loading.set(form.key, loading);
    const done = () => this.#forget(form, loading);
    // Waiting requests handle the outcome themselves.
    whole.then(done, done);
    return loading;
  }

  #leave(form: Form, loading: Loading): void {
    loading.viewers -= 1;
    if (loading.viewers === 0 && this.#forget(form, loading)) loading.end.abort();
  }

  /** Removes a load, once; not only when it settles, since a storage that hangs may never settle it. */
  #forget({ key, length }: Form, loading: Loading): boolean {
    if (this.#loading.get(key) !== loading) return false;
    outgoingBytes.countLoaded(-length);
    return this.#loading.delete(key);
  }

  async #expand(source: BodySource, form: Form, archived: Uint8Array): Promise<Body> {
    async function* read(from = 0, length = archived.length): AsyncGenerator<Uint8Array> {
      yield archived.subarray(from, from + length);
    }
    // Allocates its own memory: a part of Node's pool would hold more bytes than are counted.
    const bytes = Buffer.allocUnsafeSlow(form.length);
    let length = 0;
    for await (const piece of formPieces(source, form, { from: 0, to: form.length }, read)) {
      bytes.set(piece, length);
      length += piece.length;
    }
    const body = length <= MAX_TEXT ? bytes.toString('latin1') : bytes;
    this.#hot.set(form.key, body);
    return body;
  }
}
