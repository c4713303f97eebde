/** What every answer may hold in memory, in bytes, however many there are. */
export const PIECE = 65_536;

/** Gives back what was counted; again, it does nothing. */
export type Release = () => void;

/** Counts the bytes that were loaded for answers and not sent yet, except single pieces. */
export class HeldBytes {
  #held = 0;

  /** How many they are. */
  get held(): number {
    return this.#held;
  }

  /** Counts more of them; `undefined` when there would be more than `most` then. */
  take(bytes: number, most: number): Release | undefined {
    if (this.#held + bytes > most) return undefined;
    this.#held += bytes;
    let left = bytes;
    return () => {
      this.#held -= left;
      left = 0;
    };
  }
}

/** Of the whole process: its memory is what all viewers share. */
export const heldBytes: HeldBytes = new HeldBytes();
