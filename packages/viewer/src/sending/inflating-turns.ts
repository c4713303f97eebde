import type { Release } from './held-bytes.ts';
import { TryLater } from './try-later.ts';

/** Seconds after which a viewer may come again who found too many waiting. */
const BUSY_FOR = 2;

/** Somebody in line. */
interface Waiting {
  readonly client: string;
  readonly isNew: boolean;
  readonly begin: (place: Release) => void;
  readonly refuse: () => void;
}

/** Who waits at one client's, those first who were let in before. */
interface Line {
  readonly begun: Waiting[];
  readonly fresh: Waiting[];
}

/**
 * Lets a bounded number of files be inflated at once, and a bounded number wait. Clients take turns, and the one with
 * the most in line is refused first, so that a flood from one address keeps no other waiting.
 */
export class InflatingTurns {
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
   * Waits for a place to begin, or, `isNew` being false, to go on with what was begun.
   *
   * @returns gives the place back.
   * @throws TryLater when too many wait; the signal's reason when it aborts.
   */
  take(client: string, signal: AbortSignal, isNew: boolean): Promise<Release> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#running < this.#places) {
      this.#running += 1;
      return Promise.resolve(this.#place());
    }
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const leave = (): void => {
      this.#remove(waiting);
      reject(signal.reason);
    };
    const end = (): void => signal.removeEventListener('abort', leave);
    const waiting: Waiting = {
      client,
      isNew,
      begin: (place) => {
        end();
        resolve(place);
      },
      refuse: () => {
        end();
        reject(new TryLater('too many files wait to be inflated', BUSY_FOR));
      },
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#add(waiting);
    return promise;
  }

  #add(waiting: Waiting): void {
    const line = this.#lines.get(waiting.client) ?? { begun: [], fresh: [] };
    this.#lines.set(waiting.client, line);
    if (!waiting.isNew) {
      line.begun.push(waiting);
      return;
    }
    line.fresh.push(waiting);
    this.#waiting += 1;
    if (this.#waiting > this.#longest) this.#refuseOne();
  }

  /** Whoever came last of the client that has the most waiting. */
  #refuseOne(): void {
    let most: Waiting[] = [];
    for (const { fresh } of this.#lines.values()) if (fresh.length >= most.length) most = fresh;
    const last = most.at(-1);
    if (last === undefined) return;
    this.#remove(last);
    last.refuse();
  }

  #remove(waiting: Waiting): void {
    const line = this.#lines.get(waiting.client);
    const among = waiting.isNew ? line?.fresh : line?.begun;
    const at = among?.indexOf(waiting) ?? -1;
    if (line === undefined || among === undefined || at === -1) return;
    among.splice(at, 1);
    if (waiting.isNew) this.#waiting -= 1;
    if (line.begun.length + line.fresh.length === 0) this.#lines.delete(waiting.client);
  }

  #place(): Release {
    let held = true;
    return () => {
      if (held) this.#pass();
      held = false;
    };
  }

  #pass(): void {
    const [next] = this.#lines;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    const [client, line] = next;
    const waiting = line.begun[0] ?? line.fresh[0];
    if (waiting === undefined) return;
    this.#remove(waiting);
    if (this.#lines.delete(client)) this.#lines.set(client, line);
    waiting.begin(this.#place());
  }
}
