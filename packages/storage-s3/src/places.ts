/** So many may be held at once; who comes later waits, first come, first served. */
export class Places {
  #free: number;
  readonly #waiting: Set<() => void> = new Set();

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves holding a place; an abort ends the wait with its reason. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      this.#waiting.delete(enter);
      reject(signal.reason);
    };
    const enter = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.add(enter);
    await promise;
  }

  /** Gives a place to who waits longest. */
  give(): void {
    const [enter] = this.#waiting;
    if (enter === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(enter);
    enter();
  }
}
