import type { IncomingMessage, ServerResponse } from 'node:http';

/** Returns a signal that aborts if the client leaves before its answer was sent. */
export function untilGone(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const close = (): void => {
    if (!response.writableFinished) controller.abort();
  };
  if (hasLeft(response)) close();
  else response.once('close', close);
  return controller.signal;
}

/** Whether a response was sent, or its client has left, so that `close` may not follow. HTTP/2 has only a stream's state. */
export function hasLeft(
  response: ServerResponse & { readonly stream?: { readonly destroyed: boolean } },
): boolean {
  return response.destroyed ?? response.stream?.destroyed ?? false;
}

/**
 * Returns a signal that aborts when an HTTP/1 client closes its side of the connection. It may still read its answer (RFC
 * 9293, section 3.6), or may have left: only sending the answer would show which, so waiting for it must end. The signal
 * also aborts while the connection is not read, as after a pipelined request, since its end would not be noticed.
 */
export function untilHalfClosed(
  { httpVersionMajor, socket }: IncomingMessage,
  response: ServerResponse,
): AbortSignal {
  const halfClosed = new AbortController();
  // An HTTP/2 stream always ends with its request, and emits `close` when the client leaves.
  if (httpVersionMajor !== 1) return halfClosed.signal;
  const end = (): void => halfClosed.abort();
  if (socket.readableEnded || socket.readableFlowing === false) end();
  else {
    // Removes the listeners, since the connection outlives the answer. Serverless adapters have only these two methods.
    socket.on('end', end).on('pause', end);
    response.once('close', () => socket.removeListener('end', end).removeListener('pause', end));
  }
  return halfClosed.signal;
}

const CHECK_MILLISECONDS = 5_000;

/** Checks in a row without progress that end an answer: after 45 to 50 seconds. */
const MAX_CHECKS = 9;

/**
 * Destroys the response when its client receives none of the waiting bytes for 45 seconds. Call it once. Node emits a
 * timeout only if no bytes of a write were sent meanwhile.
 *
 * @param check milliseconds between two checks, shorter in tests.
 */
export function cutWhenSilent(response: ServerResponse, check: number = CHECK_MILLISECONDS): void {
  // Adapters of serverless platforms have no connection.
  if (!('stream' in response) && typeof response.socket?.setTimeout !== 'function') return;
  restoreTimeout(response);
  let checkedAt = performance.now();
  let silentChecks = 0;
  // Not as a callback of `setTimeout`, which HTTP/2 calls only once.
  response.on('timeout', () => {
    const now = performance.now();
    // Activity of the socket delays the event.
    const isActive = now - checkedAt > 1.5 * check || response.writableLength === 0;
    silentChecks = isActive ? 1 : silentChecks + 1;
    checkedAt = now;
    if (silentChecks >= MAX_CHECKS) response.destroy();
    else response.setTimeout(check);
  });
  response.setTimeout(check);
}

/** Restores the server's timeout for the next request of an HTTP/1 connection, which may be for another handler. */
function restoreTimeout(response: ServerResponse): void {
  const { socket, httpVersionMajor } = response.req;
  if (httpVersionMajor !== 1) return;
  const { timeout = 0 } = socket;
  // Before Node's own listener, which sets the timeout for the next request.
  response.prependOnceListener('finish', () => socket.setTimeout(timeout));
}
