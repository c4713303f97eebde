import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { type Clock, type Duration, seconds } from '@pinfold/core';
import { sleepUnlessAborted } from '@pinfold/core/internal';

/** Limits for reading an unwanted body. Default: 30 seconds and 64 MiB. */
export interface DrainLimits {
  readonly clock: Clock;
  readonly time?: Duration;
  readonly bytes?: number;
}

/** Whether a request announces a body (RFC 9112, section 6.3; over HTTP/2, RFC 9113, section 8.1). */
export function announcesBody({
  headers,
  stream,
}: IncomingMessage & { readonly stream?: { readonly endAfterHeaders: boolean } }): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  return coding !== undefined || Number(length ?? 0) > 0 || stream?.endAfterHeaders === false;
}

export function isBodyPending(request: IncomingMessage): boolean {
  const { complete, destroyed, aborted } = request;
  return announcesBody(request) && !complete && !destroyed && !aborted;
}

/** Whether the whole body has arrived. Waits one turn for an announced body: Node emits the request before parsing it. */
export async function isBodyComplete(request: IncomingMessage): Promise<boolean> {
  if (isBodyPending(request)) await setImmediate();
  return request.complete;
}

/** Reads and drops the rest of a body, since closing at once could lose the answer. Returns whether some stays unread. */
export async function drain(
  request: IncomingMessage,
  { clock, time = seconds(30), bytes = 67_108_864 }: DrainLimits,
): Promise<boolean> {
  if (!isBodyPending(request)) return false;
  const stopped = new AbortController();
  const stop = () => stopped.abort(null);
  let dropped = 0;
  const count = (chunk: Uint8Array) => {
    dropped += chunk.byteLength;
    if (dropped > bytes) stop();
  };
  request.on('data', count).once('end', stop).once('error', stop).once('close', stop).resume();
  // Begins reading: otherwise Node itself discards the body once the answer is sent, without counting it.
  request.read(0);
  await sleepUnlessAborted(clock, time, stopped.signal);
  // The listener of `error` stays: without one, a late error would be uncaught.
  request.off('data', count).off('end', stop).off('close', stop);
  return !request.complete;
}

/** Drains a body while its answer is sent, and closes the connection if some of it is left. */
export function drainAndClose(request: IncomingMessage, limits: DrainLimits): void {
  const close = () => request.destroy();
  drain(request, limits).then((isRestUnread) => isRestUnread && close(), close);
}
