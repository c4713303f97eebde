import type { ServerResponse } from 'node:http';

/** Milliseconds between two checks. */
const CHECK = 5_000;

/** Checks in a row without progress that end an answer: after 45 to 50 seconds. */
const MAX_CHECKS = 9;

/**
 * Destroys the response when its client takes nothing of what is there for it for 45 seconds. Call it once. Node compares
 * what is left of a write, and emits a timeout only if that is the same.
 *
 * @param check milliseconds between two checks, shorter in tests.
 */
export function cutWhenSilent(response: ServerResponse, check: number = CHECK): void {
  // Adapters of serverless platforms have no connection.
  if (!('stream' in response) && typeof response.socket?.setTimeout !== 'function') return;
  restoreTimeout(response);
  let checkedAt = performance.now();
  let untaken = 0;
  // Not as a callback of `setTimeout`: HTTP/2 calls that once.
  response.on('timeout', () => {
    const now = performance.now();
    const isWaiting = now - checkedAt > 1.5 * check || response.writableLength === 0;
    untaken = isWaiting ? 1 : untaken + 1;
    checkedAt = now;
    if (untaken >= MAX_CHECKS) response.destroy();
    else response.setTimeout(check);
  });
  response.setTimeout(check);
}

/** The next request of an HTTP/1 connection may be for another handler, with the timeout of its server. */
function restoreTimeout(response: ServerResponse): void {
  const { socket, httpVersionMajor } = response.req;
  if (httpVersionMajor !== 1) return;
  const { timeout = 0 } = socket;
  // Before Node's own listener, which begins to wait for the next request.
  response.prependOnceListener('finish', () => socket.setTimeout(timeout));
}
