import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Sha256 } from '@pinfold/core';

/** Bytes written at once: a write goes to another thread and back, which costs as much as 64 KiB of them. */
const BLOCK = 262_144;
/** The most bytes that stay in memory alone: a file for them would cost several ways to another thread. */
const FIRST_BLOCK = 16_384;

/** A file that was written. */
export interface WrittenFile {
  readonly sha256: Sha256;
  /** All of its bytes where they are few, and no file was made. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * Writes a file in large blocks, each hashed while it is written. It holds no reference to the given bytes. The file is made
 * once they are too many to stay in memory.
 */
export class HashedFile {
  readonly #open: () => Promise<FileHandle>;
  readonly #hash: Hash = createHash('sha256');
  #handle: FileHandle | undefined;
  #block: Buffer = Buffer.allocUnsafeSlow(FIRST_BLOCK);
  #filled = 0;

  constructor(open: () => Promise<FileHandle>) {
    this.#open = open;
  }

  /** Takes bytes; they are in the file after {@link end}. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#filled + bytes.byteLength > this.#block.length) await this.#enlarge();
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
    const bytes = this.#handle === undefined ? this.#block.subarray(0, this.#filled) : undefined;
    if (bytes === undefined) await this.#flush();
    else this.#hash.update(bytes);
    return { sha256: this.#hash.digest('hex') as Sha256, bytes };
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  async #enlarge(): Promise<void> {
    if (this.#handle !== undefined) return;
    this.#handle = await this.#open();
    const block = Buffer.allocUnsafeSlow(BLOCK);
    this.#block.copy(block, 0, 0, this.#filled);
    this.#block = block;
  }

  async #flush(): Promise<void> {
    const block = this.#block.subarray(0, this.#filled);
    this.#filled = 0;
    const written = writeAll(this.#handle as FileHandle, block);
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
