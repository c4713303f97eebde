/** Frees a place. Calling it again does nothing. */
export type Release = () => void;

/** The bounds of a {@link Semaphore}. */
export interface SemaphoreOptions {
  /** The maximum number of callers inside at the same time. */
  readonly places: number;
  /** The maximum number of callers that may wait; any number when absent. */
  readonly queue?: number;
  /** Creates the error for callers that a full queue rejects. */
  readonly overloaded?: () => Error;
  /** Limits each key to ¾ of the places, and to half of them while other keys wait, rounded up. False when absent. */
  readonly limitsKeys?: boolean;
}

/** Ends the wait of a caller in the queue: with a place, or without one and with the error to reject with. */
type Settle = (place: Release | undefined, reason?: unknown) => void;

/** The waiting callers of one key: first those that continue work they have begun, then new ones. */
type Line = readonly [resuming: Set<Settle>, fresh: Set<Settle>];

/**
 * A fair semaphore with a bounded queue. Keys, such as accounts, take turns: a key with a hundred callers delays another key
 * by one turn only, and is refused first when the queue is full. Without keys it serves callers in order.
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
  /** In order of turns: a key that was served moves to the end. */
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

  /** The number of new callers that wait. */
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
   * Resolves when it is the key's turn. If the queue is full, the last caller of the longest line is rejected, which may be
   * this one.
   *
   * @param signal ends the wait, which rejects with its reason.
   * @param isNew false for work that has begun: it comes before new work of its key, and a full queue does not reject it.
   */
  enter(key: Key, signal?: AbortSignal, isNew = true): Promise<Release> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const place = this.tryEnter(key);
    if (place !== undefined) return Promise.resolve(place);
    if (isNew && this.#waiting >= this.#options.queue && !this.#makeRoomFor(key))
      return Promise.reject(this.#options.overloaded());
    return this.#wait(key, signal, isNew);
  }

  /** Runs the work when it is the key's turn. Aborting ends only the wait, not work that has begun. */
  async run<Result>(key: Key, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const release = await this.enter(key, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Rejects the last caller of the longest line, unless the newcomer's line would be as long. */
  #makeRoomFor(key: Key): boolean {
    const newLength = this.#waiting - this.waitingOfOthers(key) + 1;
    let longest: ReadonlySet<Settle> = new Set();
    for (const [, fresh] of this.#lines.values()) if (fresh.size > longest.size) longest = fresh;
    if (longest.size <= newLength) return false;
    [...longest].at(-1)?.(undefined, this.#options.overloaded());
    return true;
  }

  #wait(key: Key, signal: AbortSignal | undefined, isNew: boolean): Promise<Release> {
    return new Promise((resolve, reject) => {
      const line: Line = this.#lines.get(key) ?? [new Set(), new Set()];
      const [resuming, fresh] = line;
      const onAbort = () => settle(undefined, signal?.reason);
      const settle: Settle = (place, reason) => {
        signal?.removeEventListener('abort', onAbort);
        resuming.delete(settle);
        if (fresh.delete(settle)) this.#waiting -= 1;
        if (resuming.size + fresh.size === 0) this.#lines.delete(key);
        if (place === undefined) reject(reason);
        else resolve(place);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#lines.set(key, line);
      if (isNew) this.#waiting += 1;
      (isNew ? fresh : resuming).add(settle);
    });
  }

  #mayEnter(key: Key): boolean {
    if (!this.#options.limitsKeys) return true;
    // A lone key leaves up to a quarter free, so that another can start at once. Two keys with half each fill all places.
    const share = this.waitingOfOthers(key) === 0 ? 3 / 4 : 1 / 2;
    return (this.#held.get(key) ?? 0) < Math.ceil(this.#options.places * share);
  }

  #admit(key: Key): Release {
    this.#inside += 1;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    let isInside = true;
    return () => {
      if (isInside) this.#release(key);
      isInside = false;
    };
  }

  /** Frees the place of a key, and gives it to the next key in turn that may have it. */
  #release(from: Key): void {
    this.#inside -= 1;
    const held = (this.#held.get(from) ?? 0) - 1;
    if (held > 0) this.#held.set(from, held);
    else this.#held.delete(from);
    for (const [key, line] of this.#lines) {
      const [resuming, fresh] = line;
      const [first] = resuming.size > 0 ? resuming : fresh;
      if (first === undefined || !this.#mayEnter(key)) continue;
      first(this.#admit(key));
      if (this.#lines.delete(key)) this.#lines.set(key, line);
      return;
    }
  }
}
