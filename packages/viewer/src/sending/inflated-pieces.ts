import type { TransformOptions } from 'node:stream';
import { createInflateRaw, type InflateRaw, type ZlibOptions } from 'node:zlib';
import type { PieceSource } from './byte-source.ts';
import { heldBytes, type Release } from './memory-budget.ts';

/** Expands the bytes of a deflated entry, a piece at each turn; between two, neither storage nor viewer keeps a place. */
export async function* inflatedPieces(
  { turns, client, signal }: Pick<PieceSource, 'turns' | 'client' | 'signal'>,
  deflated: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const inflater = new Inflater();
  let isNew = true;
  const takeTurn = (): Promise<Release> => {
    const turn = turns.enter(client, signal, isNew);
    isNew = false;
    return turn;
  };
  try {
    for await (const bytes of deflated) yield* inflater.expand(bytes, takeTurn);
    yield* inflater.expand(undefined, takeTurn);
  } finally {
    inflater.destroy();
  }
}

class Inflater {
  readonly #stream: InflateRaw = createInflateRaw({
    chunkSize: heldBytes.piece,
    // A piece at a time, and none ahead of who asks for it.
    readableHighWaterMark: 0,
  } as ZlibOptions & TransformOptions);
  readonly #pieces: AsyncIterator<Uint8Array> = this.#stream[Symbol.asyncIterator]();
  /** The next piece, once it was asked for. */
  #next: Promise<IteratorResult<Uint8Array>> | undefined;
  #isFed = false;
  /** Ends the wait for a piece: none may come before more bytes do. */
  #stopWaiting = (): void => {};

  /** Inflates more bytes, or, without any, flushes the rest. */
  async *expand(bytes: Uint8Array | undefined, takeTurn: () => Promise<Release>): AsyncGenerator<Uint8Array> {
    let isGiven = false;
    const step = async (): Promise<Uint8Array | undefined> => {
      const giveBack = await takeTurn();
      try {
        if (!isGiven) this.#feed(bytes);
        isGiven = true;
        this.#next ??= this.#pieces.next();
        const outcome = await this.#nextUnlessFed(this.#next);
        if (outcome === undefined) return undefined;
        this.#next = undefined;
        return outcome.value;
      } finally {
        giveBack();
      }
    };
    for (let piece = await step(); piece !== undefined; piece = await step()) yield piece;
  }

  #feed(bytes: Uint8Array | undefined): void {
    this.#isFed = false;
    // The stream ends with its last piece, after the last bytes. Its errors surface where pieces are read.
    if (bytes === undefined) this.#stream.end();
    else {
      this.#stream.write(bytes, () => {
        this.#isFed = true;
        this.#stopWaiting();
      });
    }
  }

  /**
   * The next piece; `undefined` when the inflater has taken all it was given before there is one. No promise lasts from
   * one piece to the next: it would keep every piece that was raced against it.
   */
  #nextUnlessFed(next: Promise<IteratorResult<Uint8Array>>): Promise<IteratorResult<Uint8Array> | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Uint8Array> | undefined>();
    this.#stopWaiting = () => resolve(undefined);
    if (this.#isFed) this.#stopWaiting();
    // Handled at once: an unawaited rejection would end the process.
    next.then(resolve, reject);
    return promise;
  }

  destroy(): void {
    this.#stream.destroy();
  }
}
