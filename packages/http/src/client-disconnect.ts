import type { ServerResponse } from 'node:http';

/**
 * A signal that aborts when the client has gone before its answer was out.
 *
 * @example
 * import type { ServerResponse } from 'node:http';
 * import { setTimeout } from 'node:timers/promises';
 * import { untilGone } from '@pinfold/http/internal';
 *
 * const late = (response: ServerResponse) =>
 *   setTimeout(1_000, undefined, { signal: untilGone(response) });
 */
export function untilGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
