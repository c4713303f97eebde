/** Accounts that are told apart in half an hour; those that come first count. */
const MOST_ACCOUNTS = 10_000;

const HALF = 30 * 60_000;

/** The number of publications of the busiest account in the last half hour to hour, without its name. */
export class BusiestAccount {
  readonly #now: () => number;
  #before: Map<string, number> = new Map();
  #counts: Map<string, number> = new Map();
  #since: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#since = now();
  }

  count(account: string): void {
    this.#turn();
    const count = this.#counts.get(account);
    if (count !== undefined || this.#counts.size < MOST_ACCOUNTS) this.#counts.set(account, (count ?? 0) + 1);
  }

  get most(): number {
    this.#turn();
    let most = 0;
    for (const accounts of [this.#before, this.#counts]) {
      for (const account of accounts.keys()) most = Math.max(most, this.#countOf(account));
    }
    return most;
  }

  #countOf(account: string): number {
    return (this.#before.get(account) ?? 0) + (this.#counts.get(account) ?? 0);
  }

  #turn(): void {
    const past = this.#now() - this.#since;
    if (past < HALF) return;
    this.#before = past < 2 * HALF ? this.#counts : new Map();
    this.#counts = new Map();
    this.#since = this.#now();
  }
}
