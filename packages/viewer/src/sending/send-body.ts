import type { ServerResponse } from 'node:http';
import { hasLeft, loopTurns } from '@pinfold/http/internal';
import { type Exchange, writeHead } from '../exchange.ts';
import { type Body, type Loaded, MOST_WHOLE, partOf } from './bodies.ts';
import { copiedPieces } from './body-pieces.ts';
import { lookingAt, sourceOf } from './byte-source.ts';
import { endTogether } from './end-together.ts';
import { heldBytes, PIECE } from './memory-budget.ts';
import type { FileAnswer, FileOutcome } from './send-file.ts';
import { expectTaken, sendPieces } from './send-pieces.ts';
import type { Form } from './site-files.ts';
import { untilDisconnect } from './until-disconnect.ts';

/** A body that fits into memory, or the part of it `from` … `to`, on its way out. */
export interface BodyAnswer extends Pick<FileAnswer, 'publication' | 'file'> {
  readonly form: Form;
  readonly status: number;
  readonly headers: string[];
  readonly from: number;
  readonly to: number;
}

/** Sends what is in memory, loads what is not, and sends in pieces what memory has no room for. */
export function sendBody(exchange: Exchange, answer: BodyAnswer): Promise<FileOutcome> | FileOutcome {
  const { context } = exchange;
  const hot = context.bodies.take(answer.form);
  if (hot === undefined) return sendCold(exchange, answer);
  const length = answer.to - answer.from;
  if (length > MOST_WHOLE || (length > PIECE && !isHeld(exchange, answer.form))) {
    return sendCopies(exchange, answer);
  }
  return finish(exchange, answer, hot);
}

async function sendCold(exchange: Exchange, answer: BodyAnswer): Promise<FileOutcome> {
  const { response, context } = exchange;
  const held = answer.form.length <= PIECE || isHeld(exchange, answer.form);
  if (!held && !context.bodies.isAtHand(answer.form)) return sendCopies(exchange, answer);
  const loaded = await untilDisconnect<Loaded>(response, (signal) =>
    context.bodies.load({ ...sourceOf(exchange, answer, signal), form: answer.form }),
  );
  if (loaded === undefined) return 'over';
  if (loaded.kind !== 'body') return loaded;
  if (!held || answer.to - answer.from > MOST_WHOLE) return sendCopies(exchange, answer);
  return finish(exchange, answer, loaded.body);
}

/** Counts a body until its viewer has taken it or left, if there is room for it. */
function isHeld({ response, context }: Exchange, { length }: Form): boolean {
  const release = heldBytes.take(length, context.tools.mostHeld);
  if (release === undefined) return false;
  if (hasLeft(response)) release();
  else response.once('close', release);
  return true;
}

function sendCopies(
  exchange: Exchange,
  { form, status, headers, from, to, ...file }: BodyAnswer,
): Promise<FileOutcome> {
  return sendPieces(
    exchange,
    status,
    headers,
    (signal) => copiedPieces(sourceOf(exchange, file, signal), exchange.context.bodies, form, from, to),
    lookingAt(exchange, file.publication),
  );
}

function finish(exchange: Exchange, answer: BodyAnswer, body: Body): Promise<FileOutcome> | FileOutcome {
  if (answer.to - answer.from <= PIECE || loopTurns.takeNow()) return write(exchange, answer, body);
  return loopTurns.wait().then(() => write(exchange, answer, body));
}

function write(exchange: Exchange, { status, headers, from, to }: BodyAnswer, body: Body): FileOutcome {
  const { response } = exchange;
  if (hasLeft(response)) return 'over';
  if (to - from > PIECE) expectTaken(exchange);
  writeHead(exchange, status, headers);
  const isText = typeof body === 'string';
  if (isText && to - from === body.length && hasConnection(response)) endTogether(response, body);
  else {
    const part = partOf(body, from, to);
    // A small part is copied, so that a slow viewer does not hold the whole.
    const isCopied = !isText && part.length < body.length && part.length <= PIECE;
    response.end(isCopied ? Buffer.from(part) : part);
  }
  return 'over';
}

/** False for the responses of serverless adapters, which would send a text as UTF-8. */
function hasConnection({ writableLength }: ServerResponse): boolean {
  return !Number.isNaN(writableLength);
}
