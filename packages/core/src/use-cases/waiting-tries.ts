import { type Duration, duration, seconds } from '../domain/instant.ts';
import type { Clock } from '../ports/clock.ts';

/** How long a try waits for its answer, at most. */
const LONGEST_WAIT = seconds(30);

/** How soon it is noticed that a try ended on another node. */
const LOOK_AGAIN = duration(200);

/** Tries that may wait in one process, */
const WAITING = 1_024;

/** and of these, tries in one line. */
const WAITING_IN_LINE = 256;

type Line = Set<Waiter>;

/**
 * Lets tries wait while others are under way, those of one client at one role in a line of their own. Only the first
 * of a line looks whether there is a place, so that many who wait cost the store no more than one.
 */
export class WaitingTries {
  readonly #clock: Clock;
  readonly #lines: Map<string, Line> = new Map();
  #waiting = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Asks, in turn, until there is an answer; `undefined` when too many wait already, or when it takes too long.
   * An aborted signal ends the wait and rejects with its reason.
   */
  async ask<Answer>(
    name: string,
    ask: () => Promise<Answer | undefined>,
    signal?: AbortSignal,
  ): Promise<Answer | undefined> {
    // Nobody overtakes a line.
    const answer = this.#lines.has(name) ? undefined : await ask();
    return answer ?? (await this.#wait(name, ask, signal));
  }

  /** Tells the first of a line that a try of the line has ended. */
  wake(name: string): void {
    const [first] = this.#lines.get(name) ?? [];
    first?.wake();
  }

  async #wait<Answer>(
    name: string,
    ask: () => Promise<Answer | undefined>,
    signal: AbortSignal | undefined,
  ): Promise<Answer | undefined> {
    const line = this.#lines.get(name) ?? new Set();
    if (this.#waiting >= WAITING || line.size >= WAITING_IN_LINE) return undefined;
    const waiter = new Waiter(this.#clock);
    const leave = (): void => waiter.giveUp();
    if (signal?.aborted) leave();
    signal?.addEventListener('abort', leave, { once: true });
    this.#join(name, line, waiter);
    try {
      const answer = await askInTurn(waiter, line, ask);
      if (answer === undefined) signal?.throwIfAborted();
      return answer;
    } finally {
      signal?.removeEventListener('abort', leave);
      waiter.giveUp();
      this.#leave(name, line, waiter);
    }
  }

  #join(name: string, line: Line, waiter: Waiter): void {
    line.add(waiter);
    this.#lines.set(name, line);
    this.#waiting += 1;
  }

  /** The next one looks at once: there may be more than one place. */
  #leave(name: string, line: Line, waiter: Waiter): void {
    line.delete(waiter);
    this.#waiting -= 1;
    if (line.size === 0) this.#lines.delete(name);
    else this.wake(name);
  }
}

async function askInTurn<Answer>(
  waiter: Waiter,
  line: Line,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  while (!waiter.hasGivenUp) {
    const [first] = line;
    const answer = first === waiter ? await ask() : undefined;
    if (answer !== undefined) return answer;
    await waiter.pause(first === waiter ? LOOK_AGAIN : undefined);
  }
  return undefined;
}

/** One that waits, until it gives up. A wake that comes between two pauses ends the next one at once. */
class Waiter {
  readonly #clock: Clock;
  readonly #over: AbortController = new AbortController();
  #woken = false;
  #goOn: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#after(LONGEST_WAIT, this.#over.signal, () => this.giveUp());
  }

  get hasGivenUp(): boolean {
    return this.#over.signal.aborted;
  }

  giveUp(): void {
    this.#over.abort();
    this.wake();
  }

  wake(): void {
    this.#woken = true;
    this.#goOn();
  }

  /** Resolves when it is woken, or after a while where one is given. */
  async pause(longest: Duration | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const paused = new AbortController();
    this.#goOn = resolve;
    if (this.#woken) resolve();
    else if (longest !== undefined) this.#after(longest, paused.signal, resolve);
    await promise;
    paused.abort();
    this.#woken = false;
  }

  #after(length: Duration, signal: AbortSignal, act: () => void): void {
    this.#clock.sleep(length, signal).then(act, () => {});
  }
}
