import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Sha256 } from '@pinfold/core';

/** Bytes written at once: switching to another thread and back takes as long as writing 64 KiB. */
const BLOCK = 262_144;
/** The maximum number of bytes that stay in memory: a file would need several switches to another thread. */
const FIRST_BLOCK = 16_384;

export interface WrittenFile {
  readonly sha256: Sha256;
  /** All bytes, if they are so few that no file was created. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * Writes a file in large blocks, and hashes each while it is written. It creates the file once there are too many bytes to
 * stay in memory. It holds no reference to the bytes of the caller.
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

  /** Adds bytes, which are in the file only after {@link end}. */
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

  /** Writes the last block. */
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

/** Repeats the write, which may write only a part of the bytes. */
async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.byteLength) {
    done += (await handle.write(bytes, done)).bytesWritten;
  }
}
