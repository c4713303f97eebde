import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Sha256 } from '@pinfold/core';

/** Bytes written at once: a write goes to another thread and back, which costs as much as 64 KiB of them. */
const BLOCK = 262_144;
/** The block of a file at first: most of a larger one would be allocated for nothing where the file is small. */
const FIRST_BLOCK = 16_384;

/** A file that was written. */
export interface WrittenFile {
  readonly sha256: Sha256;
  /** Its bytes, if they are still in memory: those of a small file. */
  readonly bytes: Uint8Array | undefined;
}

/** Writes a file in large blocks, each hashed while it is written. It holds no reference to the given bytes. */
export class HashedFile {
  readonly #handle: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #block: Buffer = Buffer.allocUnsafeSlow(FIRST_BLOCK);
  #filled = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Takes bytes; they are in the file after {@link end}. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#filled + bytes.byteLength > this.#block.length) this.#enlarge();
    for (let taken = 0; taken < bytes.byteLength; ) {
      const part = bytes.subarray(taken, taken + BLOCK - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.byteLength;
      taken += part.byteLength;
      if (this.#filled === BLOCK) await this.#flush();
    }
  }

  /** Writes what is left. */
  async end(): Promise<WrittenFile> {
    const bytes = this.#block.length === FIRST_BLOCK ? this.#block.subarray(0, this.#filled) : undefined;
    await this.#flush();
    return { sha256: this.#hash.digest('hex') as Sha256, bytes };
  }

  #enlarge(): void {
    if (this.#block.length === BLOCK) return;
    const block = Buffer.allocUnsafeSlow(BLOCK);
    this.#block.copy(block, 0, 0, this.#filled);
    this.#block = block;
  }

  async #flush(): Promise<void> {
    const block = this.#block.subarray(0, this.#filled);
    this.#filled = 0;
    const written = writeAll(this.#handle, block);
    this.#hash.update(block);
    await written;
  }
}

/** A write may take fewer bytes than it is given. */
async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.byteLength) {
    done += (await handle.write(bytes, done)).bytesWritten;
  }
}
