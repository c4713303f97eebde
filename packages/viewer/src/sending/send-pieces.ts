import type { ServerResponse } from 'node:http';
import type { Ended } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { type Exchange, writeHead } from '../exchange.ts';
import { EndedMeanwhile } from './body-pieces.ts';
import { heldBytes } from './memory-budget.ts';
import type { FileOutcome } from './send-file.ts';
import { untilDisconnect } from './until-disconnect.ts';

/** How long a viewer may take nothing of an answer, in milliseconds. */
const UNTAKEN = 45_000;

/** Looks whether the publication of what is being sent has ended. */
export type LookAgain = (left: AbortSignal) => Promise<Ended | undefined>;

/**
 * Sends a body piece by piece, the next when the last was taken. Nothing is read for a viewer who has left. The head
 * goes out with the first piece, so that what fails before it can still be answered. Before each further MiB it is looked
 * whether the publication has ended: a large file must not go on for as long as a slow viewer likes.
 */
export async function sendPieces(
  exchange: Exchange,
  status: number,
  headers: string[],
  piecesUntil: (left: AbortSignal) => AsyncIterable<Uint8Array>,
  lookAgain: LookAgain,
): Promise<FileOutcome> {
  const { response } = exchange;
  const outcome = await untilDisconnect<FileOutcome>(response, async (left) => {
    let unlooked = 0;
    const release = heldBytes.beginPieces();
    try {
      for await (const piece of piecesUntil(left)) {
        if (left.aborted) return 'over';
        if (unlooked > 0 && unlooked + piece.length > MAX_READ) {
          const ended = await lookAgain(left);
          if (ended !== undefined) throw new EndedMeanwhile(ended);
          unlooked = 0;
        }
        unlooked += piece.length;
        if (!exchange.isHeadWritten) {
          expectTaken(exchange);
          writeHead(exchange, status, headers);
        }
        if (!response.write(piece)) await drained(response, left);
      }
      response.end();
      return 'over';
    } catch (error) {
      if (left.aborted || !(error instanceof EndedMeanwhile)) throw error;
      if (!exchange.isHeadWritten) return error.ended;
      // The rest of an ended publication's file is not sent: the truncated body shows it.
      response.destroy();
      return 'over';
    } finally {
      release();
    }
  });
  return outcome ?? 'over';
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

/** Cuts off a stream of HTTP/2 whose viewer takes nothing of it; connections of HTTP/1 are looked after as a whole. */
export function expectTaken({ request, response }: Exchange): void {
  if (request.httpVersionMajor > 1) response.setTimeout(UNTAKEN, () => response.destroy());
}
