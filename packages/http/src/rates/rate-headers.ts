import type { ServerResponse } from 'node:http';
import type { Instant } from '@pinfold/core';
import type { RateLeft } from '@pinfold/core/adapter';

/** What an account may do in some time: its name stands in the headers and in `GET /api/v1/limits`. */
export type RatePolicy = 'requests' | 'publications';

/** Writes what is left of rates into the headers of an answer (draft-ietf-httpapi-ratelimit-headers-10). */
export class RateHeaders {
  readonly #response: ServerResponse;
  readonly #told: Map<RatePolicy, { readonly policy: string; readonly left: string }> = new Map();

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  tell(name: RatePolicy, left: RateLeft, now: Instant): void {
    // A refused request wants to know when it passes, as Retry-After says; every other one when all is there again.
    const until = left.nextAt > now ? left.nextAt : left.wholeAt;
    this.#told.set(name, {
      policy: `"${name}";q=${left.limit};w=${Math.ceil(left.window / 1_000)}`,
      left: `"${name}";r=${left.remaining};t=${Math.ceil((until - now) / 1_000)}`,
    });
    if (this.#response.headersSent) return;
    const all = [...this.#told.values()];
    this.#response.setHeader('RateLimit-Policy', all.map(({ policy }) => policy).join(', '));
    this.#response.setHeader('RateLimit', all.map((told) => told.left).join(', '));
  }
}
