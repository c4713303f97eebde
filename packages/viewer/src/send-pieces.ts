import type { ServerResponse } from 'node:http';
import { EndedMeanwhile } from './body-pieces.ts';
import type { Exchange } from './exchange.ts';
import { expectTaken } from './expect-taken.ts';
import type { FileOutcome } from './send-file.ts';
import { whileThere } from './while-there.ts';

/**
 * Sends a body piece by piece, the next when the last was taken. Nothing is read for a viewer who has left. The head
 * goes out with the first piece, so that what fails before it can still be answered.
 */
export function sendPieces(
  exchange: Exchange,
  status: number,
  headers: string[],
  piecesUntil: (left: AbortSignal) => AsyncIterable<Uint8Array>,
): Promise<FileOutcome> {
  const { response } = exchange;
  return whileThere(response, async (left) => {
    try {
      for await (const piece of piecesUntil(left)) {
        if (left.aborted) return undefined;
        if (!response.headersSent) {
          expectTaken(exchange);
          response.writeHead(status, headers);
        }
        if (!response.write(piece)) await drained(response, left);
      }
      response.end();
      return undefined;
    } catch (error) {
      if (left.aborted || !(error instanceof EndedMeanwhile)) throw error;
      if (!response.headersSent) return error.ended;
      // What is left of a file that ended is not sent; a cut body says so.
      response.destroy();
      return undefined;
    }
  });
}

function drained(response: ServerResponse, left: AbortSignal): Promise<void> {
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
