import type { ServerResponse } from 'node:http';
import type { Instant } from '@pinfold/core';
import type { RateLeft } from '@pinfold/core/adapter';

/** What an account may do in some time: its name stands in the headers and in `GET /api/v1/limits`. */
export type RatePolicy = 'requests' | 'publications';

/** Adds what is left of a rate to the headers of an answer (draft-ietf-httpapi-ratelimit-headers-10). */
export function tellRate(response: ServerResponse, name: RatePolicy, left: RateLeft, now: Instant): void {
  if (response.headersSent) return;
  // A refused request wants to know when it passes, as Retry-After says; every other one when all is there again.
  const until = left.nextAt > now ? left.nextAt : left.wholeAt;
  const add = (header: string, item: string) =>
    response.setHeader(header, [response.getHeader(header) ?? [], `"${name}";${item}`].flat().join(', '));
  add('RateLimit-Policy', `q=${left.limit};w=${Math.ceil(left.window / 1_000)}`);
  add('RateLimit', `r=${left.remaining};t=${Math.ceil((until - now) / 1_000)}`);
}
