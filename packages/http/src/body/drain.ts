import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { type Clock, type Duration, seconds } from '@pinfold/core';
import { sleepUnlessAborted } from '@pinfold/core/internal';

/** How much of an unwanted body is still read: 30 seconds of it, and 64 MiB. */
export interface DrainLimits {
  readonly clock: Clock;
  readonly time?: Duration;
  readonly bytes?: number;
}

export function isUnderWay({ headers, complete, destroyed, aborted }: IncomingMessage): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  return (coding !== undefined || Number(length ?? 0) > 0) && !complete && !destroyed && !aborted;
}

/** Whether all of a request is in. Waits a turn for an announced body: Node emits the request before parsing it. */
export async function isWhole(request: IncomingMessage): Promise<boolean> {
  if (isUnderWay(request)) await setImmediate();
  return request.complete;
}

/** Drops a body's rest: closing at once loses the client its answer. Resolves to whether some is left: then close. */
export async function drain(
  request: IncomingMessage,
  { clock, time = seconds(30), bytes = 67_108_864 }: DrainLimits,
): Promise<boolean> {
  if (!isUnderWay(request)) return false;
  const over = new AbortController();
  const stop = () => over.abort(null);
  let thrown = 0;
  const count = (chunk: Uint8Array) => {
    thrown += chunk.byteLength;
    if (thrown > bytes) stop();
  };
  request.on('data', count).once('end', stop).once('error', stop).once('close', stop).resume();
  // A body that is not being read when its answer is out is discarded by Node itself, uncounted.
  request.read(0);
  await sleepUnlessAborted(clock, time, over.signal);
  request.off('data', count).off('end', stop).off('close', stop);
  return !request.complete;
}

/** Drains a body whose answer is on its way, and closes the connection where some of it is left then. */
export function drainAndClose(request: IncomingMessage, limits: DrainLimits): void {
  const close = () => request.destroy();
  drain(request, limits).then((left) => left && close(), close);
}
