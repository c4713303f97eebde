import type { ServerResponse } from 'node:http';

/** A signal that aborts when the client has gone before its answer was out. */
export function untilGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
