/** Gives a place back. Doing it again does nothing. */
export type Leave = () => void;

/** How many a {@link Gate} lets in, and how many wait before it: any number when absent. */
export interface GateOptions {
  readonly places: number;
  readonly queue?: number;
}

/**
 * Lets a bounded number in at once, and lets a bounded number wait. Keys take turns, an account each for example: one
 * that brings a hundred does not keep another waiting for all of them. Without keys it is first come, first served.
 *
 * @example
 * import { Gate } from '@pinfold/core/adapter';
 *
 * const gate = new Gate({ places: 2, queue: 64 });
 * const ran = gate.run(undefined, async () => 'done');
 * console.log(ran === undefined ? 'too many wait already' : await ran); // done
 */
export class Gate<Key = undefined> {
  readonly #places: number;
  readonly #queue: number;
  /** In order of turns: a Map keeps the order of insertion, and a key that was served goes to its end. */
  readonly #lines: Map<Key, Set<() => void>> = new Map();
  #inside = 0;
  #waiting = 0;

  constructor({ places, queue = Number.POSITIVE_INFINITY }: GateOptions) {
    this.#places = places;
    this.#queue = queue;
  }

  /** A place that is free, if there is one. */
  enterNow(): Leave | undefined {
    if (this.#inside >= this.#places) return undefined;
    this.#inside += 1;
    return this.#leave();
  }

  /**
   * Resolves when it is the key's turn; `undefined` when too many wait already.
   *
   * @param signal ends the wait, which rejects with its reason.
   */
  enter(key: Key, signal?: AbortSignal): Promise<Leave> | undefined {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const place = this.enterNow();
    if (place !== undefined) return Promise.resolve(place);
    return this.#waiting < this.#queue ? this.#wait(key, signal) : undefined;
  }

  /**
   * Runs the work when it is the key's turn; `undefined` when too many wait already. Work that has begun keeps its
   * place until it ends, whatever becomes of whoever asked for it.
   */
  run<Result>(key: Key, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> | undefined {
    return this.enter(key, signal)?.then((leave) => runAndLeave(work, leave));
  }

  #wait(key: Key, signal: AbortSignal | undefined): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#takeOut(key, admit);
        reject(signal?.reason);
      };
      const admit = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve(this.#leave());
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      const line = this.#lines.get(key) ?? new Set();
      this.#lines.set(key, line.add(admit));
      this.#waiting += 1;
    });
  }

  #leave(): Leave {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#pass();
    };
  }

  /** Hands a place that became free to the key whose turn it is. */
  #pass(): void {
    for (const [key, line] of this.#lines) {
      for (const admit of line) {
        this.#takeOut(key, admit);
        this.#lines.delete(key);
        if (line.size > 0) this.#lines.set(key, line);
        admit();
        return;
      }
    }
    this.#inside -= 1;
  }

  #takeOut(key: Key, admit: () => void): void {
    const line = this.#lines.get(key);
    line?.delete(admit);
    if (line?.size === 0) this.#lines.delete(key);
    this.#waiting -= 1;
  }
}

async function runAndLeave<Result>(work: () => Promise<Result>, leave: Leave): Promise<Result> {
  try {
    return await work();
  } finally {
    leave();
  }
}
