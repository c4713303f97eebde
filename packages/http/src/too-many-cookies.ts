import type { IncomingMessage } from 'node:http';

/** The most bytes of cookies that are taken: what browsers keep of ours has a twentieth of it. */
const MOST = 12_288;

/**
 * Whether the Cookie headers of a request are too large together. A page of a sibling host can fill a browser's jar, and
 * what is in between refuses such requests sooner or later, without a word on what to do.
 */
export function hasTooManyCookies({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.cookie !== undefined && headers.cookie.length > MOST;
}
