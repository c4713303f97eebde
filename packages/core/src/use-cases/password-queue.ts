import { type Duration, duration, seconds } from '../domain/instant.ts';
import type { Clock } from '../ports/clock.ts';

const MAX_WAIT = seconds(30);

/** The interval at which the first of a line asks again, since tries of other nodes do not wake it. */
const RECHECK_AFTER = duration(200);

/** The maximum number of waiting tries of one process. */
const MAX_WAITING = 1_024;

/** The maximum number of waiting tries of one client and role. */
const MAX_IN_LINE = 256;

/** A waiting try. Aborting its bell ends its current pause, or the next one. */
interface Waiter {
  bell: AbortController;
}

/** Queues tries in one line for each client and role. Only the first of a line asks the store, to limit its load. */
export class WaitingTries {
  readonly #clock: Clock;
  readonly #lines: Map<string, Set<Waiter>> = new Map();
  #waiting = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether tries wait in a line. */
  has(name: string): boolean {
    return this.#lines.has(name);
  }

  /** Asks, in turn, until there is an answer; `undefined` if too many wait or it takes too long. Rejects on abort. */
  async ask<Answer>(
    name: string,
    ask: () => Promise<Answer | undefined>,
    signal?: AbortSignal,
  ): Promise<Answer | undefined> {
    // Tries that wait in the line come first.
    const answer = this.has(name) ? undefined : await ask();
    return answer ?? (await this.#wait(name, ask, signal));
  }

  /** Makes the first of a line ask again, because a try of the line has ended. */
  wake(name: string): void {
    const [first] = this.#lines.get(name) ?? [];
    first?.bell.abort();
  }

  async #wait<Answer>(
    name: string,
    ask: () => Promise<Answer | undefined>,
    signal: AbortSignal | undefined,
  ): Promise<Answer | undefined> {
    const line = this.#lines.get(name) ?? new Set();
    if (this.#waiting >= MAX_WAITING || line.size >= MAX_IN_LINE) return undefined;
    const timeout = new AbortController();
    const ended = AbortSignal.any(signal === undefined ? [timeout.signal] : [timeout.signal, signal]);
    void this.#pause(MAX_WAIT, ended).then(() => timeout.abort());
    const waiter: Waiter = { bell: new AbortController() };
    this.#lines.set(name, line.add(waiter));
    this.#waiting += 1;
    try {
      while (!ended.aborted) {
        const [first] = line;
        const answer = first === waiter ? await ask() : undefined;
        if (answer !== undefined) return answer;
        const woken = AbortSignal.any([ended, waiter.bell.signal]);
        await this.#pause(first === waiter ? RECHECK_AFTER : MAX_WAIT, woken);
        waiter.bell = new AbortController();
      }
      signal?.throwIfAborted();
      return undefined;
    } finally {
      timeout.abort();
      this.#leave(name, line, waiter);
    }
  }

  /** Removes a waiter, and wakes the next one: there may be more than one place. */
  #leave(name: string, line: Set<Waiter>, waiter: Waiter): void {
    line.delete(waiter);
    this.#waiting -= 1;
    if (line.size === 0) this.#lines.delete(name);
    this.wake(name);
  }

  /** Resolves after a time, or when the signal aborts. */
  #pause(length: Duration, signal: AbortSignal): Promise<void> {
    return this.#clock.sleep(length, signal).catch(() => {});
  }
}
