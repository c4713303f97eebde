/** Frees a place. Calling it again does nothing. */
export type Release = () => void;

/** The bounds of a {@link Semaphore}. */
export interface SemaphoreOptions {
  /** Callers inside at the same time. */
  readonly places: number;
  /** Callers that may wait; any number when absent. */
  readonly queue?: number;
  /** Creates the error for callers that a full queue rejects. */
  readonly overloaded?: () => Error;
  /** Limits each key to ¾ of the places, and to half of them while other keys wait, rounded up. False when absent. */
  readonly limitsKeys?: boolean;
}

/** Ends the wait of a caller in the queue: with a place, or without one for a reason. */
type Settle = (place: Release | undefined, reason?: unknown) => void;

/** The waiting callers of one key: first those that continue work that was begun, then the others. */
type Line = readonly [begun: Set<Settle>, others: Set<Settle>];

/**
 * A fair semaphore with a bounded queue. Keys, such as accounts, take turns: a key with a hundred callers does not delay
 * another key by a hundred turns, and is the first to be refused when the queue is full. Without keys it is first come,
 * first served.
 *
 * @example
 * import { Semaphore } from '@pinfold/core/adapter';
 *
 * const gate = new Semaphore({ places: 2, queue: 64, overloaded: () => new Error('too many wait') });
 * await gate.run(undefined, async () => console.log('at most two at once'));
 */
export class Semaphore<Key = undefined> {
  readonly #options: Required<SemaphoreOptions>;
  readonly #held: Map<Key, number> = new Map();
  /** In order of turns: a Map keeps the order of insertion, and a key that was served goes to its end. */
  readonly #lines: Map<Key, Line> = new Map();
  #inside = 0;
  #waiting = 0;

  constructor({
    places,
    queue = Number.POSITIVE_INFINITY,
    overloaded = () => new Error('too many wait'),
    limitsKeys = false,
  }: SemaphoreOptions) {
    this.#options = { places, queue, overloaded, limitsKeys };
  }

  get running(): number {
    return this.#inside;
  }

  /** How many wait, without those that continue work that was begun. */
  get waiting(): number {
    return this.#waiting;
  }

  waitingOfOthers(key: Key): number {
    return this.#waiting - (this.#lines.get(key)?.[1].size ?? 0);
  }

  tryEnter(key: Key): Release | undefined {
    return this.#inside < this.#options.places && this.#mayEnter(key) ? this.#admit(key) : undefined;
  }

  /**
   * Resolves when it is the key's turn. When too many wait, the last of the longest line is refused, which may be this one.
   *
   * @param signal ends the wait, which rejects with its reason.
   * @param isNew false to continue work that was begun: it comes first of its key, and is never refused.
   */
  enter(key: Key, signal?: AbortSignal, isNew = true): Promise<Release> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const place = this.tryEnter(key);
    if (place !== undefined) return Promise.resolve(place);
    if (isNew && this.#waiting >= this.#options.queue && !this.#makeRoomFor(key))
      return Promise.reject(this.#options.overloaded());
    return this.#wait(key, signal, isNew);
  }

  /** Runs the work when it is the key's turn. Work that has begun keeps its place even if its caller has gone. */
  async run<Result>(key: Key, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const release = await this.enter(key, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Refuses the last caller of the longest line, unless the newcomer's own line would be as long. */
  #makeRoomFor(key: Key): boolean {
    const own = this.#waiting - this.waitingOfOthers(key) + 1;
    let longest: ReadonlySet<Settle> = new Set();
    for (const [, others] of this.#lines.values()) if (others.size > longest.size) longest = others;
    if (longest.size <= own) return false;
    [...longest].at(-1)?.(undefined, this.#options.overloaded());
    return true;
  }

  #wait(key: Key, signal: AbortSignal | undefined, isNew: boolean): Promise<Release> {
    return new Promise((resolve, reject) => {
      const line: Line = this.#lines.get(key) ?? [new Set(), new Set()];
      const [begun, others] = line;
      const giveUp = () => end(undefined, signal?.reason);
      const end: Settle = (place, reason) => {
        signal?.removeEventListener('abort', giveUp);
        begun.delete(end);
        if (others.delete(end)) this.#waiting -= 1;
        if (begun.size + others.size === 0) this.#lines.delete(key);
        if (place === undefined) reject(reason);
        else resolve(place);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#lines.set(key, line);
      if (isNew) this.#waiting += 1;
      (isNew ? others : begun).add(end);
    });
  }

  #mayEnter(key: Key): boolean {
    if (!this.#options.limitsKeys) return true;
    // Two keys cannot both hold half while a place is free, so no free place stays unused.
    const share = this.waitingOfOthers(key) === 0 ? 3 / 4 : 1 / 2;
    return (this.#held.get(key) ?? 0) < Math.ceil(this.#options.places * share);
  }

  #admit(key: Key): Release {
    this.#inside += 1;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    let inside = true;
    return () => {
      if (inside) this.#release(key);
      inside = false;
    };
  }

  /** Frees the place of a key, and hands it to the next key in turn that may have it. */
  #release(from: Key): void {
    this.#inside -= 1;
    const held = (this.#held.get(from) ?? 0) - 1;
    if (held > 0) this.#held.set(from, held);
    else this.#held.delete(from);
    for (const [key, line] of this.#lines) {
      const [begun, others] = line;
      const [first] = begun.size > 0 ? begun : others;
      if (first === undefined || !this.#mayEnter(key)) continue;
      first(this.#admit(key));
      if (this.#lines.delete(key)) this.#lines.set(key, line);
      return;
    }
  }
}
