/** At the same time: each holds a connection until the disk is forced, and the pool is for all requests. */
const AT_ONCE = 2;

/** Lets few claims of a sweep be settled at the same time; the others wait, first come, first served. */
export class Settlements {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  async run(work: () => Promise<void>): Promise<void> {
    if (this.#running < AT_ONCE) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
