import { type AccountId, after, type Duration, type Instant } from '@pinfold/core';

/** How many requests an account may send to this process in a window. */
export interface RateLimit {
  readonly requests: number;
  readonly window: Duration;
}

/** What was decided of one request, and what is left. */
export interface Rate {
  readonly kind: 'admitted' | 'limited';
  readonly remaining: number;
  /** When the window ends. */
  readonly until: Instant;
}

/** Counts requests in fixed windows: one opens with an account's first request. */
export class RateLimiter {
  readonly #limit: RateLimit;
  /** In the order in which they opened, which is the order in which they end. */
  readonly #windows: Map<AccountId, { readonly until: Instant; count: number }> = new Map();

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** Counts a request of an account. */
  take(account: AccountId, now: Instant): Rate {
    this.#dropEnded(now);
    const { requests, window } = this.#limit;
    const open = this.#windows.get(account) ?? { until: after(now, window), count: 0 };
    this.#windows.set(account, open);
    if (open.count >= requests) return { kind: 'limited', remaining: 0, until: open.until };
    open.count += 1;
    return { kind: 'admitted', remaining: requests - open.count, until: open.until };
  }

  /** The headers that tell of it (draft-ietf-httpapi-ratelimit-headers-10). */
  headers({ remaining, until }: Rate, now: Instant): Readonly<Record<string, string>> {
    const { requests, window } = this.#limit;
    const reset = Math.max(0, Math.ceil((until - now) / 1_000));
    return {
      'RateLimit-Policy': `"account";q=${requests};w=${Math.ceil(window / 1_000)}`,
      RateLimit: `"account";r=${remaining};t=${reset}`,
    };
  }

  #dropEnded(now: Instant): void {
    for (const [account, { until }] of this.#windows) {
      if (until > now) return;
      this.#windows.delete(account);
    }
  }
}
