import type { Exchange } from './exchange.ts';

/** How long a viewer may take nothing of an answer, in milliseconds. */
const UNTAKEN = 45_000;

/** Cuts off a stream of HTTP/2 whose viewer takes nothing of it; connections of HTTP/1 are looked after as a whole. */
export function expectTaken({ request, response }: Exchange): void {
  if (request.httpVersionMajor > 1) response.setTimeout(UNTAKEN, () => response.destroy());
}
