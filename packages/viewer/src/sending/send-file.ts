import { isPromise } from '@pinfold/core/internal';
import {
  hasLeft,
  loopTurns,
  type OutgoingAnswer,
  outgoingBytes,
  SMALL_ANSWER,
  sendPieces as sendBodyPieces,
} from '@pinfold/http/internal';
import {
  ANSWERED,
  type Answered,
  clientOf,
  type Exchange,
  end,
  endTogether,
  type MaybePromise,
  signalOf,
  writeHead,
} from '../exchange.ts';
import { type Body, MAX_WHOLE, partOf } from './bodies.ts';
import { answerTo, type FileAnswer, type FoundFile, GZIP_HEADER } from './file-answer.ts';
import { type BodySource, formPieces } from './pieces.ts';

const PAGE: Answered = { isPage: true };

/**
 * Answers with a file of a site: all of it, a part, or 304 if the browser already has it.
 *
 * @throws EndedMeanwhile when its publication ended before any of it was sent.
 * @throws UnavailableError when too many bytes of other answers wait for slow clients.
 */
export function sendFile(exchange: Exchange, found: FoundFile): MaybePromise<Answered> {
  const { file } = found;
  if (file.isGzippedSvg === undefined) {
    return readSvgzCoding(exchange, found).then(() => sendFile(exchange, found));
  }
  const answered = file.isPage ? PAGE : ANSWERED;
  const answer = answerTo(exchange.request, found);
  if (answer.from === answer.to || exchange.request.method === 'HEAD') {
    writeHead(exchange, answer.status, answer.headers);
    endTogether(exchange);
    return answered;
  }
  const sending = sendBody(exchange, answer);
  return isPromise(sending) ? sending.then(() => answered) : answered;
}

/** Sends a body from the cache, or loads it first; sends it in pieces if memory has no room for it. */
export function sendBody(exchange: Exchange, answer: FileAnswer): MaybePromise<void> {
  const { bodies } = exchange.context;
  const { form, from, to, file } = answer;
  const length = to - from;
  outgoingBytes.admit(length);
  const cachedBody = bodies.cached(form);
  if (cachedBody !== undefined) {
    bodies.hits += 1;
    return sendWhole(exchange, answer, cachedBody);
  }
  const mayLoad =
    form.length <= SMALL_ANSWER || outgoingBytes.hasRoomFor(form.length) || bodies.isLoading(form);
  return mayLoad && bodies.caches(file.entry, form, length < form.length ? from : undefined)
    ? loadAndSend(exchange, answer)
    : sendPieces(exchange, answer);
}

async function loadAndSend(exchange: Exchange, answer: FileAnswer): Promise<void> {
  const body = await exchange.context.bodies.load(sourceOf(exchange, answer), answer.form);
  return sendWhole(exchange, answer, body);
}

/** Sends a body from memory if it has a turn and there is room; otherwise waits without holding the body. */
function sendWhole(exchange: Exchange, answer: FileAnswer, body: Body): MaybePromise<void> {
  const length = answer.to - answer.from;
  // Small pages do not wait for the turns of large answers.
  if (length <= outgoingBytes.piece) return write(exchange, answer, body);
  if (length > MAX_WHOLE || !outgoingBytes.hasRoomFor(length)) return sendPieces(exchange, answer);
  return loopTurns.takeNow() ? write(exchange, answer, body) : sendLater(exchange, answer);
}

async function sendLater(exchange: Exchange, answer: FileAnswer): Promise<void> {
  await loopTurns.wait();
  // Meanwhile the cache may have dropped the body, and other answers may use the room.
  const body = exchange.context.bodies.cached(answer.form);
  const hasRoom = outgoingBytes.hasRoomFor(answer.to - answer.from);
  return body !== undefined && hasRoom ? write(exchange, answer, body) : sendPieces(exchange, answer);
}

function write(exchange: Exchange, { status, headers, from, to }: FileAnswer, body: Body): void {
  if (hasLeft(exchange.response)) return;
  const { response } = exchange;
  writeHead(exchange, status, headers);
  const isText = typeof body === 'string';
  // A response of a serverless adapter has no connection, and would send a text as UTF-8.
  if (isText && to - from === body.length && !Number.isNaN(response.writableLength)) {
    endTogether(exchange, body);
    return;
  }
  const part = partOf(body, from, to);
  // Copies a small part, so that a slow viewer does not hold the whole body.
  const isCopied = !isText && part.length < body.length && part.length <= SMALL_ANSWER;
  end(exchange, isCopied ? Buffer.from(part) : part);
}

/** Sends a body in pieces. The head is sent with the first piece, so that an earlier failure can still be answered. */
export async function sendPieces(exchange: Exchange, answer: FileAnswer): Promise<void> {
  const { response, context } = exchange;
  const { publication, form, status, headers, from, to } = answer;
  const source = sourceOf(exchange, answer);
  const { outgoing, signal } = source;
  const pieces = context.bodies.pieces(source, form, from, to);
  const isStillPublished = async () =>
    (await context.useCases.visit(publication.id, signal)).kind === 'published';
  const body = { pieces, outgoing, signal, mayContinue: isStillPublished };
  const isWhole = await sendBodyPieces(response, body, () => {
    if (!exchange.isHeadWritten) writeHead(exchange, status, headers);
  });
  if (isWhole) response.end();
}

function sourceOf(
  exchange: Exchange,
  { publication, file }: Pick<FoundFile, 'publication' | 'file'>,
): BodySource & { readonly outgoing: OutgoingAnswer } {
  const client = clientOf(exchange);
  const outgoing = outgoingBytes.follow(exchange.response, client);
  const { tools } = exchange.context;
  return { ...tools, publication, entry: file.entry, client, signal: signalOf(exchange), outgoing };
}

/**
 * Reads the first two bytes of an `.svgz` file to find whether it is gzip (RFC 1952, section 2.3.1), and answers need
 * `Content-Encoding`. Some programs save plain SVG under that name.
 */
async function readSvgzCoding(exchange: Exchange, found: FoundFile): Promise<void> {
  const bytes: number[] = [];
  const pieces = formPieces(sourceOf(exchange, found), { gzip: false }, { from: 0, to: 2 });
  for await (const piece of pieces) bytes.push(...piece);
  found.file.isGzippedSvg = bytes.every((byte, index) => byte === GZIP_HEADER[index]);
}
