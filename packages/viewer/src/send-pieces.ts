import { EndedMeanwhile } from './body-pieces.ts';
import type { Exchange } from './exchange.ts';
import type { FileOutcome } from './send-file.ts';

/** How long a viewer may take nothing before the connection is given up, in milliseconds. */
const STALLED = 120_000;

/**
 * Sends a body piece by piece, the next when the last was taken. Nothing is read for a viewer who has left. The head
 * goes out with the first piece, so that what fails before it can still be answered.
 */
export async function sendPieces(
  { response }: Exchange,
  status: number,
  headers: string[],
  piecesUntil: (left: AbortSignal) => AsyncIterable<Uint8Array>,
): Promise<FileOutcome> {
  if (response.destroyed) return undefined;
  const left = new AbortController();
  const leave = (): void => left.abort();
  response.once('close', leave);
  try {
    for await (const piece of piecesUntil(left.signal)) {
      if (left.signal.aborted) return undefined;
      if (!response.headersSent) {
        response.setTimeout(STALLED);
        response.writeHead(status, headers);
      }
      if (!response.write(piece)) await drained(response, left.signal);
    }
    response.end();
    return undefined;
  } catch (error) {
    if (left.signal.aborted) return undefined;
    if (!(error instanceof EndedMeanwhile)) throw error;
    if (!response.headersSent) return error.ended;
    // What is left of a file that ended is not sent; a cut body says so.
    response.destroy();
    return undefined;
  } finally {
    response.off('close', leave);
  }
}

function drained(response: Exchange['response'], left: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const go = (): void => {
    response.off('drain', go);
    left.removeEventListener('abort', go);
    resolve();
  };
  response.on('drain', go);
  left.addEventListener('abort', go, { once: true });
  if (left.aborted) go();
  return promise;
}
