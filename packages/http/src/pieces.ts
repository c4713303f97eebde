import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { MAX_READ } from '@pinfold/core/adapter';
import { hasLeft } from './gone-clients.ts';
import type { ByteRange } from './negotiation.ts';
import { type OutgoingAnswer, outgoingBytes } from './outgoing-bytes.ts';
import { loopTurns } from './turns.ts';

/**
 * Reads a range piece by piece, on request. Pieces are large while there is room and no request waits for its turn.
 *
 * @param read reads up to 1 MiB.
 */
export async function* readPieces(
  { from, to }: ByteRange,
  outgoing: Pick<OutgoingAnswer, 'countLoaded'>,
  read: (from: number, length: number) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  for (let at = from; at < to; ) {
    if (!loopTurns.takeNow()) await loopTurns.wait();
    const largest = Math.min(MAX_READ, to - at);
    const isLarge = outgoingBytes.hasRoomFor(largest) && !loopTurns.isBusy;
    const wanted = isLarge ? largest : Math.min(outgoingBytes.piece, largest);
    // Not in a variable, which would hold the piece while the next one is read.
    yield await countWhile(outgoing, wanted, () => read(at, wanted));
    at += wanted;
  }
}

async function countWhile(
  outgoing: Pick<OutgoingAnswer, 'countLoaded'>,
  bytes: number,
  read: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  outgoing.countLoaded(bytes);
  try {
    return await read();
  } finally {
    outgoing.countLoaded(-bytes);
  }
}

/** The publication ended while it was read, because it was stopped, for example. */
export class EndedMeanwhile<Ended> extends Error {
  readonly ended: Ended;

  constructor(ended: Ended) {
    super();
    this.ended = ended;
  }
}

export interface SentBody {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly outgoing: OutgoingAnswer;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
  /** Whether the rest may be sent: a slow client must not receive a body long after access has ended. */
  readonly mayContinue: () => Promise<boolean>;
}

/**
 * Sends a body piece by piece, each after the one before was sent, until the client leaves. Before each further MiB it
 * calls `mayContinue`. If that is false, or the publication ends, it destroys the response: the client sees a truncated
 * body.
 *
 * @param begin called before each piece.
 * @returns whether all of the body was written to the response, which the caller ends.
 */
export async function sendPieces(
  response: ServerResponse,
  body: SentBody,
  begin: () => void = () => {},
): Promise<boolean> {
  const pieces = body.pieces[Symbol.asyncIterator]();
  const sending: Sending = { response, body, begin, unchecked: 0 };
  try {
    while (await sendNext(pieces, sending));
    return !body.signal.aborted && !hasLeft(response);
  } catch (error) {
    if (body.signal.aborted) return false;
    // Before the first piece, the caller can still answer with an error.
    if (sending.unchecked === 0 || !(error instanceof EndedMeanwhile)) throw error;
    response.destroy();
    return false;
  } finally {
    await pieces.return?.();
  }
}

interface Sending {
  readonly response: ServerResponse;
  readonly body: SentBody;
  readonly begin: () => void;
  /** Bytes sent since the last call of `mayContinue`. */
  unchecked: number;
}

/** Sends one piece. In a loop, the suspended function would hold the piece while the next one is read. */
async function sendNext(pieces: AsyncIterator<Uint8Array>, sending: Sending): Promise<boolean> {
  const { response, body, begin } = sending;
  const { outgoing, signal, mayContinue } = body;
  const { value: piece, done } = await pieces.next();
  if (done === true || signal.aborted) return false;
  if (sending.unchecked > 0 && sending.unchecked + piece.length > MAX_READ) {
    if (!(await mayContinue())) {
      response.destroy();
      return false;
    }
    sending.unchecked = 0;
  }
  sending.unchecked += piece.length;
  begin();
  const isSent = response.write(piece);
  outgoing.countWritten(piece.length);
  if (!isSent) await once(response, 'drain', { signal });
  outgoing.measure();
  return true;
}
