import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Duration } from '@pinfold/core';
import type { EncodedAnswer } from './answer.ts';
import { pause } from './pause.ts';

/** How much of a body that nobody wants is still read, so that its sender can read the answer. */
export interface DrainLimits {
  readonly time: Duration;
  readonly bytes: number;
}

/**
 * Writes an answer at once and whole. Where the request's body is not whole yet, the rest is read and thrown away
 * within limits before the connection closes: closing at once would make the network drop the answer on its way
 * (contract, section 3).
 */
export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: EncodedAnswer,
  drain: DrainLimits & { readonly clock: Clock },
): Promise<void> {
  if (response.destroyed) return;
  const content = request.method === 'HEAD' ? undefined : body;
  if (!isUnderWay(request)) {
    response.writeHead(status, headers).end(content);
    request.resume();
    return;
  }
  // Not ended yet: a response that has ended closes its connection, under a client that is still sending.
  response.writeHead(status, { ...headers, Connection: 'close' });
  if (content === undefined || content.byteLength === 0) response.flushHeaders();
  else response.write(content);
  await throwAway(request, drain);
  const left = !request.complete;
  response.end();
  if (left) request.destroy();
}

/** Whether some of the body is still to come. */
function isUnderWay(request: IncomingMessage): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = request.headers;
  return (coding !== undefined || Number(length ?? 0) > 0) && !request.complete && !request.destroyed;
}

/** Resolves when the body has ended, broke off, or exceeds a limit. */
async function throwAway(
  request: IncomingMessage,
  { clock, time, bytes }: DrainLimits & { readonly clock: Clock },
): Promise<void> {
  const over = new AbortController();
  const stop = () => over.abort();
  let thrown = 0;
  const count = (chunk: Uint8Array) => {
    thrown += chunk.byteLength;
    if (thrown > bytes) stop();
  };
  request.on('data', count).once('end', stop).once('error', stop).once('close', stop);
  request.resume();
  await pause(clock, time, over.signal);
  request.off('data', count).off('end', stop).off('close', stop);
}
