import { Transform, type TransformCallback } from 'node:stream';

/** The source does not have the bytes that were announced. */
export class CountError extends Error {
  override readonly name = 'CountError';
}

/** Passes on exactly so many bytes or fails. The last chunk waits for the end: a server with all bytes stores them. */
export class CountedBody extends Transform {
  readonly #size: number;
  #seen = 0;
  #held: Uint8Array | undefined;

  constructor(size: number) {
    super();
    this.#size = size;
  }

  override _transform(chunk: Uint8Array, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#seen += chunk.byteLength;
    if (this.#seen > this.#size) {
      done(new CountError(`the source has more than ${this.#size} bytes`));
      return;
    }
    const held = this.#held;
    this.#held = chunk;
    done(null, held);
  }

  override _flush(done: TransformCallback): void {
    if (this.#seen < this.#size) {
      done(new CountError(`the source has ${this.#seen} bytes, not ${this.#size}`));
      return;
    }
    done(null, this.#held);
  }
}
