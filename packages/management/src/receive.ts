import type { IncomingMessage } from 'node:http';
import { type Clock, type Duration, minutes, seconds } from '@pinfold/core';

/** A body that stood still or took too long. */
export interface Stalled {
  readonly kind: 'stalled';
}

/** The longest that the body of an upload may take. */
export const LONGEST_UPLOAD: Duration = minutes(15);
/** The longest that a form without a file may take. */
export const LONGEST_FORM: Duration = minutes(1);

const SILENCE = seconds(30);
const LOOK = seconds(10);
const MOST_DRAINED = 67_108_864;
const STALLED: unique symbol = Symbol('stalled');

/**
 * Reads a request's body as long as it keeps coming: 30 seconds of silence end it, and `longest` in all. The connection
 * stays as it is, since it still has to carry the answer.
 *
 * @param read must reject with the signal's reason soon after it aborts.
 */
export async function whileItComes<Outcome>(
  request: IncomingMessage,
  clock: Clock,
  longest: Duration,
  read: (stall: AbortSignal) => Promise<Outcome>,
): Promise<Outcome | Stalled> {
  const stall = new AbortController();
  const over = new AbortController();
  watch(request, clock, longest, over.signal).then(
    () => stall.abort(STALLED),
    (error: unknown) => {
      if (!over.signal.aborted) stall.abort(error);
    },
  );
  try {
    return await read(stall.signal);
  } catch (error) {
    if (error === STALLED) return { kind: 'stalled' };
    throw error;
  } finally {
    over.abort();
  }
}

/** Resolves when the body has stalled. It looks now and then, so that no chunk has to be listened to. */
async function watch(
  request: IncomingMessage,
  clock: Clock,
  longest: Duration,
  over: AbortSignal,
): Promise<void> {
  let seen = request.socket.bytesRead;
  let silent = 0;
  for (let time = 0; time < longest && silent < SILENCE; time += LOOK) {
    await clock.sleep(LOOK, over);
    const { bytesRead } = request.socket;
    // What came and was not taken yet is our own slowness, not the client's.
    silent = bytesRead === seen && request.readableLength === 0 ? silent + LOOK : 0;
    seen = bytesRead;
  }
}

/**
 * Reads on and throws away what still comes of a body, since a connection that closes at once loses the answer; after
 * 30 seconds or 64 MiB it closes all the same.
 */
export function drain(request: IncomingMessage, clock: Clock): void {
  if (!isUnderWay(request)) return;
  const over = new AbortController();
  const stop = () => over.abort();
  let bytes = 0;
  request.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > MOST_DRAINED) request.destroy();
  });
  request.once('end', stop).once('close', stop).once('error', stop).resume();
  clock.sleep(SILENCE, over.signal).then(
    () => request.destroy(),
    () => {},
  );
}

function isUnderWay({ headers, complete, destroyed }: IncomingMessage): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  return (coding !== undefined || Number(length ?? 0) > 0) && !complete && !destroyed;
}
