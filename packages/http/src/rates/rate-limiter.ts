import type { Instant, Rate, RateMark } from '@pinfold/core';
import type { RateLeft } from '@pinfold/core/adapter';
import { rateLeft, takenFrom } from '@pinfold/core/internal';

/** The decision about one request, and the rate that is left after it. */
export interface TakenRequest {
  readonly kind: 'admitted' | 'limited';
  /** For a limited request, `nextAt` is when the rate admits its cost. */
  readonly left: RateLeft;
}

interface Entry {
  readonly mark: RateMark;
  /** When the whole rate is available again, so that the entry can be removed. */
  readonly wholeAt: Instant;
}

/** The maximum number of entries; a further one replaces the oldest. */
const MAX_ENTRIES = 100_000;
/** Entries that each call checks for removal: twice as many as it may add. */
const CHECKED_PER_CALL = 2;

/** Takes requests from a rate by key, in the memory of this process. */
export class RateLimiter<Key> {
  /** The least recently checked come first. */
  readonly #entries: Map<Key, Entry> = new Map();

  /** How many keys have less than their whole rate. */
  get size(): number {
    return this.#entries.size;
  }

  /** Takes a request's cost from the rate of its key; takes nothing when too little is left. */
  take(key: Key, rate: Rate, now: Instant, cost = 1): TakenRequest {
    this.#removeWhole(now);
    const mark = this.#entries.get(key)?.mark ?? null;
    const before = rateLeft(rate, mark, now, cost);
    if (before.nextAt > now) return { kind: 'limited', left: before };
    const taken = takenFrom(rate, mark, now, cost);
    const left = rateLeft(rate, taken, now);
    this.#entries.set(key, { mark: taken, wholeAt: left.wholeAt });
    return { kind: 'admitted', left };
  }

  left(key: Key, rate: Rate, now: Instant): RateLeft {
    return rateLeft(rate, this.#entries.get(key)?.mark ?? null, now);
  }

  #removeWhole(now: Instant): void {
    const oldest = this.#entries.entries();
    for (let n = 0; n < CHECKED_PER_CALL; n += 1) {
      const next = oldest.next();
      if (next.done === true) return;
      const [key, entry] = next.value;
      this.#entries.delete(key);
      if (entry.wholeAt > now && this.#entries.size < MAX_ENTRIES) this.#entries.set(key, entry);
    }
  }
}
