import { readSync } from 'node:fs';
import { systemCodeOf } from '@pinfold/core/internal';

/** The staged file is shorter than what was received: it was truncated meanwhile. */
export class TruncatedFile extends Error {
  readonly syscall: string = 'read';
  readonly code: string = 'EIO';
}

export interface ArchiveSource {
  /** Bytes received. */
  readonly size: number;
  /** Reads up to as many bytes as the buffer has room for, and returns how many: 0 at the end. */
  read(into: Buffer, position: number): number;
}

export function fileSource(fd: number, size: number): ArchiveSource {
  return { size, read: (into, position) => readSync(fd, into, 0, into.length, position) };
}

export function memorySource(bytes: Uint8Array): ArchiveSource {
  const read = (into: Buffer, position: number): number => {
    const part = bytes.subarray(position, position + into.length);
    into.set(part);
    return part.length;
  };
  return { size: bytes.length, read };
}

export function readFully(source: ArchiveSource, buffer: Buffer, position: number): Buffer {
  for (let filled = 0; filled < buffer.length; ) {
    const read = source.read(buffer.subarray(filled), position + filled);
    if (read === 0) throw new TruncatedFile('the staged file is shorter than what was received');
    filled += read;
  }
  return buffer;
}

/** Whether an error comes from the operating system, and so is not a bug. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return systemCodeOf(error) !== undefined;
}

/** Reads an archive at any position, through a window that later reads reuse. */
export class StagedFile {
  readonly size: number;
  readonly #source: ArchiveSource;
  readonly #window: Buffer;
  #from: number = 0;
  #to: number = 0;

  /** @param window bytes read at once; choose few if the records are far apart. */
  constructor(source: ArchiveSource, window: number) {
    this.#source = source;
    this.size = source.size;
    this.#window = Buffer.allocUnsafeSlow(Math.min(window, Math.max(source.size, 1)));
  }

  /** The bytes at a position; fewer at the end of the file. They are valid until the next call. */
  at(position: number, length: number): Buffer {
    const end = Math.min(position + length, this.size);
    if (position >= end) return this.#window.subarray(0, 0);
    if (end - position > this.#window.length)
      return readFully(this.#source, Buffer.alloc(end - position), position);
    if (position < this.#from || end > this.#to) {
      this.#to = 0;
      const wanted = Math.min(this.#window.length, this.size - position);
      readFully(this.#source, this.#window.subarray(0, wanted), position);
      this.#from = position;
      this.#to = position + wanted;
    }
    return this.#window.subarray(position - this.#from, end - this.#from);
  }
}
