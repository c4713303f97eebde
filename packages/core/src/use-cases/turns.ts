import type { AccountId } from '../domain/identity.ts';
import { Fault } from '../fault.ts';

/**
 * Lets a bounded number of publications run, and a bounded number wait. Accounts take turns, so that one that
 * publishes a hundred sites does not keep another waiting for all of them.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #queue: number;
  /** In order of turns: a Map keeps the order of insertion, and an account that was served goes to its end. */
  readonly #waiting: Map<AccountId, Set<() => void>> = new Map();
  #running = 0;
  #length = 0;

  constructor(atOnce: number, queue: number) {
    this.#atOnce = atOnce;
    this.#queue = queue;
  }

  /**
   * Runs `work` when it is the account's turn.
   *
   * @throws Fault `publishing_overloaded` when too many wait already; the signal's reason when it aborts the wait.
   */
  async take<Result>(account: AccountId, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#running < this.#atOnce) this.#running += 1;
    else await this.#wait(account, signal);
    try {
      return await work();
    } finally {
      this.#pass();
    }
  }

  /** Resolves when a place was handed over, which then counts as running already. */
  #wait(account: AccountId, signal: AbortSignal | undefined): Promise<void> {
    if (this.#length >= this.#queue) {
      throw new Fault('publishing_overloaded', 'too many publications are waiting');
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#drop(account, start);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      const own = this.#waiting.get(account) ?? new Set();
      this.#waiting.set(account, own.add(start));
      this.#length += 1;
    });
  }

  #drop(account: AccountId, start: () => void): void {
    const own = this.#waiting.get(account);
    if (own?.delete(start) !== true) return;
    this.#length -= 1;
    if (own.size === 0) this.#waiting.delete(account);
  }

  /** Hands a place that became free to the account whose turn it is. */
  #pass(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    const [account, own] = next;
    const [start] = own;
    if (start === undefined) return;
    this.#drop(account, start);
    if (own.size > 0) {
      this.#waiting.delete(account);
      this.#waiting.set(account, own);
    }
    start();
  }
}
