/** Pieces of large bodies that one turn of the event loop begins, over all connections. */
const MOST_A_TURN = 8;

/**
 * Bounds how many pieces of large bodies one turn of the event loop begins: reading, inflating and writing one takes
 * part of a millisecond. The system takes megabytes for a connection whose client reads nothing, so hundreds of such
 * connections would otherwise keep every other client waiting.
 */
export class BodyTurns {
  readonly #most: number;
  /** The next first. */
  readonly #waiting: (() => void)[] = [];
  #begun = 0;

  constructor(most: number = MOST_A_TURN) {
    this.#most = most;
  }

  /** Begins a piece in this turn; false when it has to {@link wait}. */
  takeNow(): boolean {
    if (this.#begun >= this.#most || this.#waiting.length > 0) return false;
    this.#count();
    return true;
  }

  /** Resolves in the turn in which the piece may begin, in the order of calls. */
  wait(): Promise<void> {
    return new Promise((begin) => this.#waiting.push(begin));
  }

  #count(): void {
    if (this.#begun === 0) setImmediate(this.#beginNext);
    this.#begun += 1;
  }

  readonly #beginNext = (): void => {
    this.#begun = 0;
    for (const begin of this.#waiting.splice(0, this.#most)) {
      this.#count();
      begin();
    }
  };
}

/** One of the whole process: its event loop is what all viewers share. */
export const bodyTurns: BodyTurns = new BodyTurns();
