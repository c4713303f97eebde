import type { AccountId, Instant, Rate, RateMark } from '@pinfold/core';
import { leftOf, type RateLeft, takenFrom } from '@pinfold/core/adapter';

/** What was decided of one request, and what is left after it. */
export interface TakenRequest {
  readonly kind: 'admitted' | 'limited';
  readonly left: RateLeft;
}

interface Held {
  readonly mark: RateMark;
  /** When nothing is missing any more, so that nothing need be known of the account. */
  readonly wholeAt: Instant;
}

/** Accounts that are remembered at the same time. */
const MOST_ACCOUNTS = 100_000;
/** For one account that comes, two are looked at whether they can go. */
const LOOKED_AT = 2;

/** Counts the requests of each account in this process. */
export class RequestLimiter {
  /** Those longest not looked at come first. */
  readonly #held: Map<AccountId, Held> = new Map();

  /** Accounts of which something is remembered. */
  get size(): number {
    return this.#held.size;
  }

  /** Counts a request of an account. */
  take(account: AccountId, rate: Rate, now: Instant): TakenRequest {
    this.#forget(now);
    const mark = this.#held.get(account)?.mark ?? null;
    const before = leftOf(rate, mark, now);
    if (before.remaining === 0) return { kind: 'limited', left: before };
    const taken = takenFrom(rate, mark, now);
    const left = leftOf(rate, taken, now);
    this.#held.set(account, { mark: taken, wholeAt: left.wholeAt });
    return { kind: 'admitted', left };
  }

  /** What an account has left. */
  left(account: AccountId, rate: Rate, now: Instant): RateLeft {
    return leftOf(rate, this.#held.get(account)?.mark ?? null, now);
  }

  #forget(now: Instant): void {
    const oldest = this.#held.entries();
    for (let n = 0; n < LOOKED_AT; n += 1) {
      const next = oldest.next();
      if (next.done === true) return;
      const [account, held] = next.value;
      this.#held.delete(account);
      if (held.wholeAt > now && this.#held.size < MOST_ACCOUNTS) this.#held.set(account, held);
    }
  }
}
