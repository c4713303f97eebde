import type { ServerResponse } from 'node:http';
import type { Instant } from '@pinfold/core';
import type { RateLeft } from '@pinfold/core/adapter';

/** What an account may do in some time: its name stands in the headers and in `GET /api/v1/limits`. */
export type RatePolicy = 'requests' | 'publications';

/** Tells in the headers of an answer what is left of rates (draft-ietf-httpapi-ratelimit-headers-10). */
export class RateHeaders {
  readonly #response: ServerResponse;
  readonly #told: Map<RatePolicy, { readonly policy: string; readonly left: string }> = new Map();

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Adds what is left of one. */
  tell(name: RatePolicy, left: RateLeft, now: Instant): void {
    const seconds = Math.ceil((until(left) - now) / 1_000);
    this.#told.set(name, {
      policy: `"${name}";q=${left.limit};w=${Math.ceil(left.window / 1_000)}`,
      left: `"${name}";r=${left.remaining};t=${seconds}`,
    });
    if (this.#response.headersSent) return;
    const all = [...this.#told.values()];
    this.#response.setHeader('RateLimit-Policy', all.map(({ policy }) => policy).join(', '));
    this.#response.setHeader('RateLimit', all.map((told) => told.left).join(', '));
  }
}

/** Never later than Retry-After says, which is when one passes again. */
function until({ remaining, nextAt, wholeAt }: RateLeft): Instant {
  return remaining === 0 ? nextAt : wholeAt;
}
