import { type ArchiveSource, readFully } from './archive-source.ts';

/** Reads an archive at any position, through a window that later reads reuse. */
export class StagedFile {
  readonly size: number;
  readonly #source: ArchiveSource;
  readonly #window: Buffer;
  #from: number = 0;
  #to: number = 0;

  /** @param window bytes read at once; small where single records lie far apart. */
  constructor(source: ArchiveSource, window: number) {
    this.#source = source;
    this.size = source.size;
    this.#window = Buffer.allocUnsafeSlow(Math.min(window, Math.max(source.size, 1)));
  }

  /** The bytes there, fewer where the file ends. They are good until the next call. */
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
