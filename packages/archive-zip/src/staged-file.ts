import { readSync } from 'node:fs';
import { systemCodeOf } from '@pinfold/core/internal';

/** The staged file is not what was received: it was cut while it was read. */
export class CutFile extends Error {
  readonly syscall: string = 'read';
  readonly code: string = 'EIO';
}

/** Reads a file at any position, through a window that later reads reuse. */
export class StagedFile {
  readonly size: number;
  readonly #fd: number;
  readonly #window: Buffer;
  #from: number = 0;
  #to: number = 0;

  /** @param window bytes read at once; small where single records lie far apart. */
  constructor(fd: number, size: number, window: number) {
    this.#fd = fd;
    this.size = size;
    this.#window = Buffer.allocUnsafeSlow(Math.min(window, Math.max(size, 1)));
  }

  /** The bytes there, fewer where the file ends. They are good until the next call. */
  at(position: number, length: number): Buffer {
    const end = Math.min(position + length, this.size);
    if (position >= end) return this.#window.subarray(0, 0);
    if (end - position > this.#window.length)
      return readFully(this.#fd, Buffer.alloc(end - position), position);
    if (position < this.#from || end > this.#to) {
      this.#to = 0;
      const wanted = Math.min(this.#window.length, this.size - position);
      readFully(this.#fd, this.#window.subarray(0, wanted), position);
      this.#from = position;
      this.#to = position + wanted;
    }
    return this.#window.subarray(position - this.#from, end - this.#from);
  }
}

export function readFully(fd: number, buffer: Buffer, position: number): Buffer {
  for (let filled = 0; filled < buffer.length; ) {
    const read = readSync(fd, buffer, filled, buffer.length - filled, position + filled);
    if (read === 0) throw new CutFile('the staged file is shorter than what was received');
    filled += read;
  }
  return buffer;
}

/** Whether the operating system refused something, rather than code of ours being wrong. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return systemCodeOf(error) !== undefined;
}
