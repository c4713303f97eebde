/** Why a place in a {@link WaitingLine} was not given: as many as may are waiting already. */
export const FULL: unique symbol = Symbol('full');

/** Lets a fixed number of tasks run at once and a fixed number wait, first come, first served. */
export class WaitingLine {
  readonly #places: number;
  readonly #longest: number;
  readonly #waiting: Set<() => void> = new Set();
  #running = 0;

  constructor(places: number, longest: number) {
    this.#places = places;
    this.#longest = longest;
  }

  /**
   * Runs a task when its turn comes; {@link FULL} at once when too many wait.
   *
   * An aborted signal rejects with its reason, before and while the task runs. A task that has begun keeps
   * its place until it ends, whatever the signal says: it cannot be called back.
   */
  async run<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result | typeof FULL> {
    signal?.throwIfAborted();
    if (this.#running >= this.#places) {
      if (this.#waiting.size >= this.#longest) return FULL;
      await this.#turn(signal);
    } else {
      this.#running += 1;
    }
    const result = this.#finish(task);
    return signal === undefined ? result : unlessAborted(result, signal);
  }

  async #finish<Result>(task: () => Promise<Result>): Promise<Result> {
    try {
      return await task();
    } finally {
      this.#next();
    }
  }

  /** Resolves holding the place that another task gave up. */
  #turn(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      this.#waiting.delete(begin);
      reject(signal?.reason);
    };
    const begin = (): void => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    signal?.addEventListener('abort', leave, { once: true });
    this.#waiting.add(begin);
    return promise;
  }

  #next(): void {
    const [begin] = this.#waiting;
    if (begin === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(begin);
    begin();
  }
}

async function unlessAborted<Result>(result: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([result, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
