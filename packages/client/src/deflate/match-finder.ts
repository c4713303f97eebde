/** A match begins less far back, and has a greatest length (RFC 1951, section 3.2.5). */
const WINDOW = 32_768;
const MAX_LENGTH = 258;
/** Shorter ones save too little. */
const MIN_LENGTH = 4;
const HASH_BITS = 15;
/** Earlier places that are compared, and the length that is good enough to compare no more. */
const MAX_COMPARED = 32;
const GOOD_LENGTH = 64;
/** Before places leave the range of 32 bits, the tables are emptied; bytes in memory are fewer. */
const LAST_PLACE = 2 ** 30;

/**
 * Finds bytes that came before in a file, by chains of the places whose next four bytes have the same hash (RFC 1951,
 * section 4). Its tables serve every file: places count on from one file to the next.
 */
export class MatchFinder {
  /** Of the last match that was found. */
  length = 0;
  distance = 0;
  readonly #heads = new Int32Array(1 << HASH_BITS);
  readonly #previous = new Int32Array(WINDOW);
  #bytes: Uint8Array = new Uint8Array();
  /** The place of the file's first byte. */
  #first = WINDOW;

  begin(bytes: Uint8Array): void {
    this.#first += this.#bytes.length + WINDOW;
    if (this.#first > LAST_PLACE) {
      this.#heads.fill(0);
      this.#first = WINDOW;
    }
    this.#bytes = bytes;
  }

  /** Looks for a match that is longer than a length, and adds the place to its chain. */
  find(at: number, than: number): boolean {
    if (at + MIN_LENGTH > this.#bytes.length) return false;
    const candidate = this.add(at);
    return this.#longest(at, candidate, Math.max(than, MIN_LENGTH - 1));
  }

  /** Adds the places of bytes that are in a match. */
  addAll(from: number, to: number): void {
    const end = Math.min(to, this.#bytes.length - MIN_LENGTH + 1);
    for (let at = from; at < end; at += 1) this.add(at);
  }

  add(at: number): number {
    const bytes = this.#bytes;
    const next =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    const hash = Math.imul(next, 0x9e37_79b1) >>> (32 - HASH_BITS);
    const before = this.#heads[hash] as number;
    const place = this.#first + at;
    this.#heads[hash] = place;
    this.#previous[place % WINDOW] = before;
    return before;
  }

  #longest(at: number, candidate: number, than: number): boolean {
    const bytes = this.#bytes;
    const first = this.#first;
    const lowest = Math.max(first, first + at - WINDOW + 1);
    const max = Math.min(MAX_LENGTH, bytes.length - at);
    let best = than;
    let place = candidate;
    for (let left = MAX_COMPARED; left > 0 && place >= lowest && best < max; left -= 1) {
      const from = place - first;
      if (bytes[from + best] === bytes[at + best] && bytes[from] === bytes[at]) {
        let length = 1;
        while (length < max && bytes[from + length] === bytes[at + length]) length += 1;
        if (length > best) {
          best = length;
          this.distance = at - from;
          if (length >= GOOD_LENGTH) break;
        }
      }
      place = this.#previous[place % WINDOW] as number;
    }
    this.length = best;
    return best > than;
  }
}
