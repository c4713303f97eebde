import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { type Clock, type Duration, duration, type Instant } from '@pinfold/core';
import { pause } from './pause.ts';
import { RequestRefused } from './problem.ts';

/** How slow a body may be. */
export interface BodyTimeouts {
  /** The longest time without a byte. */
  readonly idle: Duration;
  /** The longest time for the whole body. */
  readonly total: Duration;
}

/**
 * Feeds a request's body to `sink` and ends it with the body. When the body stalls or breaks off, the sink is
 * destroyed with a {@link RequestRefused}; the request itself stays as it is, since it still gets its answer.
 */
export function feedBody(
  request: IncomingMessage,
  sink: Writable,
  { clock, timeouts }: { readonly clock: Clock; readonly timeouts: BodyTimeouts },
): void {
  // Nothing will ever come of a body that somebody else has read.
  if (request.readableEnded) {
    sink.end();
    return;
  }
  if (request.destroyed) {
    feedRest(request, sink);
    return;
  }
  const over = new AbortController();
  const breakOff = () => {
    request.off('close', breakOff).off('error', breakOff);
    if (!request.readableEnded) feedRest(request, sink);
  };
  const finish = () => {
    over.abort();
    request.unpipe(sink);
    request.off('close', breakOff).off('error', breakOff);
  };
  sink.once('close', finish).once('finish', finish);
  request.once('close', breakOff).once('error', breakOff).pipe(sink);
  watch(request, sink, clock, timeouts, over.signal).catch((error: Error) => sink.destroy(error));
}

/**
 * The client has gone. If all of the body had come before, what is still held of it is read all the same: a publication
 * with its whole body in runs to its end (contract, section 5).
 */
function feedRest(request: IncomingMessage, sink: Writable): void {
  if (!request.complete) {
    sink.destroy(brokenOff());
    return;
  }
  request.unpipe(sink);
  for (let chunk: unknown = request.read(); chunk !== null; chunk = request.read()) sink.write(chunk);
  sink.end();
}

function brokenOff(): RequestRefused {
  return new RequestRefused('invalid_request', {
    detail: 'Send the body whole: it broke off.',
  });
}

/** Destroys the sink when a time has passed. A sink that is itself slow does not count as the client's silence. */
async function watch(
  request: IncomingMessage,
  sink: Writable,
  clock: Clock,
  { idle, total }: BodyTimeouts,
  over: AbortSignal,
): Promise<void> {
  let last: Instant = clock.now();
  const note = () => {
    last = clock.now();
  };
  request.on('data', note);
  over.addEventListener('abort', () => request.off('data', note), { once: true });
  const whole = pause(clock, total, over);
  const silent = silence(request, clock, idle, () => last, over);
  if ((await Promise.race([whole, silent])) === 'passed') sink.destroy(new RequestRefused('request_timeout'));
}

async function silence(
  request: IncomingMessage,
  clock: Clock,
  idle: Duration,
  last: () => Instant,
  over: AbortSignal,
): Promise<'passed' | 'stopped'> {
  for (;;) {
    const since = last();
    const left = since + idle - clock.now();
    // Any other figure means that the clock was set, which must not cut the wait short.
    const wait = left > 0 && left < idle ? duration(left) : idle;
    if ((await pause(clock, wait, over)) === 'stopped') return 'stopped';
    if (last() === since && !request.isPaused()) return 'passed';
  }
}
