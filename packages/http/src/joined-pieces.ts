type Part = AsyncIterator<Uint8Array> | Iterator<Uint8Array>;

/**
 * Iterates over the pieces of several parts. A generator with `yield*` would hold the last piece, uncounted, while it
 * reads the next one.
 */
export class JoinedPieces implements AsyncIterableIterator<Uint8Array> {
  readonly #further: (() => Part)[];
  #part: Part | undefined;

  /** @param parts functions that begin a part, each called after the end of the part before. */
  constructor(...parts: (() => Part)[]) {
    this.#further = parts;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      this.#part ??= this.#further.shift()?.();
      if (this.#part === undefined) return { value: undefined, done: true };
      const result = await this.#part.next();
      if (result.done !== true) return result;
      this.#part = undefined;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#further.length = 0;
    await this.#part?.return?.();
    this.#part = undefined;
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
