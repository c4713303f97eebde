import type { ServerResponse } from 'node:http';

/** A signal that aborts when the client has gone before its answer was out. */
export function untilGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const close = (): void => {
    if (!response.writableFinished) gone.abort();
  };
  if (hasLeft(response)) close();
  else response.once('close', close);
  return gone.signal;
}

/** Whether a response is out, or its client has left: its `close` may have been. One of HTTP/2 has only its stream's state. */
export function hasLeft(
  response: ServerResponse & { readonly stream?: { readonly destroyed: boolean } },
): boolean {
  return response.destroyed ?? response.stream?.destroyed ?? false;
}
