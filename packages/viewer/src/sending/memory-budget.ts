/** The bytes that each answer may hold in memory, regardless of the number of answers. */
export const PIECE = 65_536;

/** The same while many answers are sent in pieces: each holds several of them, between storage and its connection. */
const SMALL_PIECE = 16_384;
const MANY = 64;

/** Releases what was counted. A second call does nothing. */
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

  /** Counts more bytes. Returns `undefined`, and counts nothing, if that would exceed `most`. */
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
