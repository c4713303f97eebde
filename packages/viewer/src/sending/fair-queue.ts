import type { Release } from './memory-budget.ts';
import { UnavailableError } from './unavailable-error.ts';

/** Seconds of `Retry-After` when the queue is full. */
const BUSY_FOR = 2;

interface Waiting {
  readonly begin: (place: Release) => void;
  readonly refuse: () => void;
}

/** The waiting requests of one client: those that began before go first. */
interface Line {
  readonly client: string;
  readonly begun: Set<Waiting>;
  readonly fresh: Set<Waiting>;
}

/**
 * Lets a bounded number of files be inflated at once, and a bounded number wait. Clients take turns, and the one with
 * the most in line is refused first, so that a flood from one address keeps no other waiting.
 */
export class FairQueue {
  readonly #places: number;
  readonly #longest: number;
  /** In order of turns: a client that was served goes to the end. */
  readonly #lines: Map<string, Line> = new Map();
  #running = 0;
  #waiting = 0;

  /** @param longest how many may wait to begin. */
  constructor(places: number, longest: number) {
    this.#places = places;
    this.#longest = longest;
  }

  /** How many are at work. */
  get running(): number {
    return this.#running;
  }

  /** How many wait to begin. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Waits for a place.
   *
   * @param isNew false to continue with a file that was begun.
   * @returns gives the place back.
   * @throws UnavailableError when too many wait; the signal's reason when it aborts.
   */
  take(client: string, signal: AbortSignal, isNew: boolean): Promise<Release> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#running < this.#places) {
      this.#running += 1;
      return Promise.resolve(this.#place());
    }
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const line = this.#lines.get(client) ?? { client, begun: new Set(), fresh: new Set() };
    const end = (): void => {
      signal.removeEventListener('abort', leave);
      line.begun.delete(waiting);
      if (line.fresh.delete(waiting)) this.#waiting -= 1;
      if (line.begun.size + line.fresh.size === 0) this.#lines.delete(client);
    };
    const leave = (): void => {
      end();
      reject(signal.reason);
    };
    const waiting: Waiting = {
      begin: (place) => {
        end();
        resolve(place);
      },
      refuse: () => {
        end();
        reject(new UnavailableError(BUSY_FOR));
      },
    };
    signal.addEventListener('abort', leave);
    this.#lines.set(client, line);
    if (isNew) this.#addFresh(line, waiting);
    else line.begun.add(waiting);
    return promise;
  }

  /** When the queue is full, refuses the latest request of the client with the most waiting requests. */
  #addFresh({ fresh }: Line, waiting: Waiting): void {
    fresh.add(waiting);
    this.#waiting += 1;
    if (this.#waiting <= this.#longest) return;
    let most = fresh;
    for (const line of this.#lines.values()) if (line.fresh.size >= most.size) most = line.fresh;
    [...most].at(-1)?.refuse();
  }

  #place(): Release {
    let held = true;
    return () => {
      if (held) this.#pass();
      held = false;
    };
  }

  #pass(): void {
    for (const line of this.#lines.values()) {
      this.#lines.delete(line.client);
      this.#lines.set(line.client, line);
      for (const waiting of line.begun.size > 0 ? line.begun : line.fresh) {
        waiting.begin(this.#place());
        return;
      }
    }
    this.#running -= 1;
  }
}
