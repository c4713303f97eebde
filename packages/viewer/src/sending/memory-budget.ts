/** The bytes that every answer may hold in memory, however many there are. */
export const PIECE = 65_536;

/** The same while many answers go out in pieces: each holds a few, between storage and its connection. */
const SMALL_PIECE = 16_384;
const MANY = 64;

/** Gives back what was counted; again, it does nothing. */
export type Release = () => void;

/** Counts the bytes that were loaded for answers and not sent yet, except single pieces. */
export class HeldBytes {
  #held = 0;
  #inPieces = 0;

  get held(): number {
    return this.#held;
  }

  /** The most bytes of an answer's next piece. */
  get piece(): number {
    return this.#inPieces > MANY ? SMALL_PIECE : PIECE;
  }

  beginPieces(): Release {
    this.#inPieces += 1;
    return once(() => {
      this.#inPieces -= 1;
    });
  }

  /** Counts more of them; `undefined` when there would be more than `most` then. */
  take(bytes: number, most: number): Release | undefined {
    if (this.#held + bytes > most) return undefined;
    this.#held += bytes;
    return once(() => {
      this.#held -= bytes;
    });
  }
}

function once(release: Release): Release {
  let isDone = false;
  return () => {
    if (!isDone) release();
    isDone = true;
  };
}

/** The count of the whole process, whose memory all viewers share. */
export const heldBytes: HeldBytes = new HeldBytes();
