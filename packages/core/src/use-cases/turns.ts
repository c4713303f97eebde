import type { AccountId } from '../domain/identity.ts';
import { Fault } from '../fault.ts';

type Start = () => void;

/**
 * Lets a bounded number of publications run, and a bounded number wait. Accounts take turns, so that one that
 * publishes a hundred sites does not keep another waiting for all of them.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #queue: number;
  /** In order of turns: a Map keeps the order of insertion, and an account that was served goes to its end. */
  readonly #waiting: Map<AccountId, readonly [Start, ...Start[]]> = new Map();
  #running = 0;
  #length = 0;

  constructor(atOnce: number, queue: number) {
    this.#atOnce = atOnce;
    this.#queue = queue;
  }

  /**
   * Runs `work` when it is the account's turn.
   *
   * @throws Fault `publishing_overloaded` when too many wait already.
   */
  async take<Result>(account: AccountId, work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else await this.#wait(account);
    try {
      return await work();
    } finally {
      this.#pass();
    }
  }

  /** Resolves when a place was handed over, which then counts as running already. */
  #wait(account: AccountId): Promise<void> {
    if (this.#length >= this.#queue) {
      throw new Fault('publishing_overloaded', 'too many publications are waiting');
    }
    this.#length += 1;
    return new Promise((start) => {
      const own = this.#waiting.get(account);
      this.#waiting.set(account, own === undefined ? [start] : [...own, start]);
    });
  }

  /** Hands a place that became free to the account whose turn it is. */
  #pass(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    const [account, [start, second, ...others]] = next;
    this.#length -= 1;
    this.#waiting.delete(account);
    if (second !== undefined) this.#waiting.set(account, [second, ...others]);
    start();
  }
}
