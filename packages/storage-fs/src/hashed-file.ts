import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Sha256 } from '@pinfold/core';

/** Bytes written at once: a write goes to another thread and back, which costs as much as 64 KiB of them. */
const BLOCK = 262_144;

/** Writes a file in large blocks, each hashed while it is written. It holds no reference to the given bytes. */
export class HashedFile {
  readonly #handle: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  readonly #block: Buffer = Buffer.allocUnsafeSlow(BLOCK);
  #filled = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Takes bytes; they are in the file after {@link end}. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let taken = 0; taken < bytes.byteLength; ) {
      const part = bytes.subarray(taken, taken + BLOCK - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.byteLength;
      taken += part.byteLength;
      if (this.#filled === BLOCK) await this.#flush();
    }
  }

  /** Writes what is left and answers the hash of all. */
  async end(): Promise<Sha256> {
    await this.#flush();
    return this.#hash.digest('hex') as Sha256;
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
