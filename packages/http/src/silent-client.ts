import type { ServerResponse } from 'node:http';

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
