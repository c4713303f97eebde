import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { type Ended, Fault, MAX_READ, type ManifestEntry, type Open, type Role } from '@pinfold/core';
import { LRUCache } from 'lru-cache';
import { checkProved } from './check-proved.ts';
import { gzipMember } from './gzip-member.ts';
import type { Form } from './site-files.ts';

const inflate = promisify(inflateRaw);

/** Bodies up to here are kept as text, too, in bytes. */
const SMALL = 8_192;

/** A body in memory. */
export interface Body {
  readonly bytes: Buffer;
  /** The bytes of a small one, a character each: Node joins a text with the head and sends both as one piece. */
  readonly text: string | undefined;
}

/** A whole body, unless the role ended meanwhile. */
export type Loaded = { readonly kind: 'body'; readonly body: Body } | Ended;

/** Bodies that are served whole: kept while they are hot, read once however many ask at the same time. */
export class Bodies {
  readonly #open: Open;
  readonly #hot: LRUCache<string, Body> | undefined;
  readonly #loading = new Map<string, Promise<Loaded>>();

  /** @param bytes of memory for them; 0 keeps none. */
  constructor(open: Open, bytes: number) {
    this.#open = open;
    this.#hot =
      bytes > 0
        ? new LRUCache({ maxSize: bytes, sizeCalculation: (body, key) => sizeOf(body) + key.length + 256 })
        : undefined;
  }

  /** Whether a body is read and kept whole, rather than piece by piece. */
  static fits(entry: ManifestEntry, form: Form): boolean {
    return entry.compressedSize <= MAX_READ && form.length <= MAX_READ + 64;
  }

  /** A body that is in memory. */
  hot(form: Form): Body | undefined {
    return this.#hot?.get(form.key);
  }

  /**
   * Reads a body. What several wait for is not given up when one of them leaves.
   *
   * @throws Fault as `Open.read` does; `store_corrupt` when the archive is not what was proved.
   */
  load(role: Role, entry: ManifestEntry, form: Form): Promise<Loaded> {
    const running = this.#loading.get(form.key);
    if (running !== undefined) return running;
    const loading = this.#load(role, entry, form).finally(() => this.#loading.delete(form.key));
    this.#loading.set(form.key, loading);
    return loading;
  }

  async #load(role: Role, entry: ManifestEntry, form: Form): Promise<Loaded> {
    const read = await this.#open.read(role, entry.offset, entry.compressedSize);
    if (read.kind !== 'bytes') return read;
    if (read.bytes.length !== entry.compressedSize) {
      throw new Fault('store_corrupt', 'an archive is shorter than its manifest says');
    }
    const whole = await bytesOf(entry, form, read.bytes);
    const body = { bytes: whole, text: whole.length <= SMALL ? whole.toString('latin1') : undefined };
    this.#hot?.set(form.key, body);
    return { kind: 'body', body };
  }
}

function sizeOf({ bytes, text = '' }: Body): number {
  return bytes.length + text.length;
}

async function bytesOf(entry: ManifestEntry, form: Form, bytes: Uint8Array): Promise<Buffer> {
  // Its own end tells whoever expands it whether it is whole.
  if (form.gzip) return gzipMember(entry, bytes);
  // A copy of its own: what a storage gives may be a view of something larger.
  const whole = entry.method === 'stored' ? Buffer.from(bytes) : await inflated(entry, bytes);
  checkProved(entry, whole.length, crc32(whole));
  return whole;
}

async function inflated(entry: ManifestEntry, bytes: Uint8Array): Promise<Buffer> {
  try {
    return await inflate(bytes, { maxOutputLength: Math.max(1, entry.size) });
  } catch (cause) {
    throw new Fault('store_corrupt', 'an entry that was proved cannot be inflated', { cause });
  }
}
