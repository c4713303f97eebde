/** Gives a place back. Doing it again does nothing. */
export type Leave = () => void;

/** How many a {@link Gate} lets in, and how many wait before it: any number when absent. */
export interface GateOptions {
  readonly places: number;
  readonly queue?: number;
  /** Makes what whoever finds no room in the queue is rejected with. */
  readonly overloaded?: () => Error;
}

/** Somebody in line. */
interface Waiting {
  readonly admit: () => void;
  readonly refuse: () => void;
}

/**
 * Lets a bounded number in at once, and lets a bounded number wait. Keys take turns, an account each for example: one
 * that brings a hundred does not keep another waiting for all of them, and is refused first when too many wait. Without
 * keys it is first come, first served.
 *
 * @example
 * import { Gate } from '@pinfold/core/adapter';
 *
 * const gate = new Gate({ places: 2, queue: 64, overloaded: () => new Error('too many wait') });
 * await gate.run(undefined, async () => console.log('at most two at once'));
 */
export class Gate<Key = undefined> {
  readonly #places: number;
  readonly #queue: number;
  readonly #overloaded: () => Error;
  /** In order of turns: a Map keeps the order of insertion, and a key that was served goes to its end. */
  readonly #lines: Map<Key, Set<Waiting>> = new Map();
  #inside = 0;
  #waiting = 0;

  constructor({ places, queue = Number.POSITIVE_INFINITY, overloaded = tooMany }: GateOptions) {
    this.#places = places;
    this.#queue = queue;
    this.#overloaded = overloaded;
  }

  /** How many are in. */
  get running(): number {
    return this.#inside;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** A place that is free, if there is one. */
  enterNow(): Leave | undefined {
    if (this.#inside >= this.#places) return undefined;
    this.#inside += 1;
    return this.#leave();
  }

  /**
   * Resolves when it is the key's turn. When too many wait, the last of the longest line is refused, which may be this one.
   *
   * @param signal ends the wait, which rejects with its reason.
   */
  enter(key: Key, signal?: AbortSignal): Promise<Leave> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const place = this.enterNow();
    if (place !== undefined) return Promise.resolve(place);
    if (this.#waiting >= this.#queue && !this.#makeRoomFor(key)) return Promise.reject(this.#overloaded());
    return this.#wait(key, signal);
  }

  /**
   * Runs the work when it is the key's turn, as {@link enter} tells. Work that has begun keeps its place until it ends,
   * whatever becomes of whoever asked for it.
   */
  async run<Result>(key: Key, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const leave = await this.enter(key, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Refuses the last of the longest line, unless the comer's own would be as long. */
  #makeRoomFor(key: Key): boolean {
    const own = (this.#lines.get(key)?.size ?? 0) + 1;
    let longest: ReadonlySet<Waiting> = new Set();
    for (const line of this.#lines.values()) if (line.size > longest.size) longest = line;
    if (longest.size <= own) return false;
    [...longest].at(-1)?.refuse();
    return true;
  }

  #wait(key: Key, signal: AbortSignal | undefined): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#takeOut(key, waiting);
        signal?.removeEventListener('abort', giveUp);
      };
      const giveUp = () => {
        end();
        reject(signal?.reason);
      };
      const waiting: Waiting = {
        admit: () => {
          end();
          resolve(this.#leave());
        },
        refuse: () => {
          end();
          reject(this.#overloaded());
        },
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      const line = this.#lines.get(key) ?? new Set();
      this.#lines.set(key, line.add(waiting));
      this.#waiting += 1;
    });
  }

  #leave(): Leave {
    let inside = true;
    return () => {
      if (inside) this.#pass();
      inside = false;
    };
  }

  /** Hands a place that became free to the key whose turn it is. */
  #pass(): void {
    for (const [key, line] of this.#lines) {
      for (const first of line) {
        first.admit();
        if (this.#lines.delete(key)) this.#lines.set(key, line);
        return;
      }
    }
    this.#inside -= 1;
  }

  #takeOut(key: Key, waiting: Waiting): void {
    const line = this.#lines.get(key);
    line?.delete(waiting);
    if (line?.size === 0) this.#lines.delete(key);
    this.#waiting -= 1;
  }
}

function tooMany(): Error {
  return new Error('too many wait');
}
