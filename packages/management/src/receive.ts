import type { IncomingMessage } from 'node:http';
import type { ReceiveOutcome, Staging } from '@pinfold/core';

/** How an upload came in; `stalled` when it stood still or took too long. */
export type Received = ReceiveOutcome | { readonly kind: 'stalled' };

const SILENCE = 30_000;
const LONGEST = 15 * 60_000;
const MOST_DRAINED = 67_108_864;
const STALLED: unique symbol = Symbol('stalled');

/**
 * Receives an upload as long as it keeps coming: 30 seconds of silence end it, and 15 minutes in all.
 *
 * @param body what the request carries, or a part of it.
 */
export async function receive(
  request: IncomingMessage,
  body: AsyncIterable<Uint8Array>,
  staging: Staging,
  limit: number,
): Promise<Received> {
  const stall = new AbortController();
  const stop = () => stall.abort(STALLED);
  const total = setTimeout(stop, LONGEST);
  request.socket.setTimeout(SILENCE).once('timeout', stop);
  try {
    return await staging.receive(body, limit, stall.signal);
  } catch (error) {
    if (error === STALLED) return { kind: 'stalled' };
    throw error;
  } finally {
    clearTimeout(total);
    request.socket.setTimeout(0).off('timeout', stop);
  }
}

/** Reads on and throws away what still comes, since a connection that closes at once loses the answer. */
export function drain(request: IncomingMessage): void {
  let bytes = 0;
  request.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > MOST_DRAINED) request.destroy();
  });
  request.socket.setTimeout(SILENCE).once('timeout', () => request.destroy());
}
