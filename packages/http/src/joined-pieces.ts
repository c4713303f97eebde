type Part = AsyncIterator<Uint8Array> | Iterator<Uint8Array>;

/**
 * Pieces of one part after another. A generator that gives them with `yield*` would hold the last while the next is read,
 * for as long as that takes, and nobody would count it.
 */
export class JoinedPieces implements AsyncIterableIterator<Uint8Array> {
  readonly #further: (() => Part)[];
  #part: Part | undefined;

  /** @param parts each begun when those before it are over. */
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
