import type { IncomingMessage, ServerResponse } from 'node:http';

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

/**
 * A signal that aborts when a client of HTTP/1 closes its side of the connection. It may still read its answer (RFC 9293,
 * section 3.6), or may have left: the two look alike until the answer is sent, so a wait on its behalf ends then. The same
 * while the connection is not read, as behind a request that was sent ahead: its end would not be seen.
 */
export function untilUnheard(
  { httpVersionMajor, socket }: IncomingMessage,
  response: ServerResponse,
): AbortSignal {
  const unheard = new AbortController();
  // A stream of HTTP/2 has its client's end with its request, and `close` when the client leaves.
  if (httpVersionMajor !== 1) return unheard.signal;
  const end = (): void => unheard.abort();
  if (socket.readableEnded || socket.readableFlowing === false) end();
  else {
    // The connection outlives the answer. Adapters of serverless platforms have these two methods only.
    socket.on('end', end).on('pause', end);
    response.once('close', () => socket.removeListener('end', end).removeListener('pause', end));
  }
  return unheard.signal;
}
