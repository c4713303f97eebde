import { AsyncResource } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { Ended, Publication } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { clientOf, hasLeft, loopTurns, outgoingBytes } from '@pinfold/http/internal';
import { type Exchange, writeHead } from '../exchange.ts';
import { type Body, type Loaded, MAX_WHOLE, partOf } from './bodies.ts';
import { UnavailableError } from './circuit-breaker.ts';
import { bodyPieces, EndedMeanwhile, type PieceSource } from './pieces.ts';
import type { Form, SiteFile } from './site-files.ts';

/** Answers up to this size, in bytes, are taken on even when the memory for answers is full. */
const MAX_SMALL = 65_536;

/** Seconds after which a viewer may try again where it is. */
const BUSY_FOR = 1;

/** A body of a file, or the part of it `from` … `to`, on its way out. */
export interface BodyAnswer {
  readonly publication: Publication;
  readonly file: SiteFile;
  readonly form: Form;
  readonly status: number;
  readonly headers: string[];
  readonly from: number;
  readonly to: number;
}

/** `over`: it was sent, or its viewer has left; otherwise why the publication is no longer shown. */
export type FileOutcome = 'over' | Ended;

/**
 * Sends what is in memory, loads what is not, and sends in pieces what memory has no room for.
 *
 * @throws UnavailableError when clients leave too many bytes of other answers untaken.
 */
export function sendBody(exchange: Exchange, answer: BodyAnswer): Promise<FileOutcome> | FileOutcome {
  const { bodies } = exchange.context;
  const { form, from, to, file } = answer;
  const length = to - from;
  if (length > MAX_SMALL && !outgoingBytes.admits()) throw new UnavailableError(BUSY_FOR);
  const isPart = length < form.length;
  const isWhole = length <= MAX_WHOLE && outgoingBytes.hasRoomFor(length);
  const hot = bodies.take(form);
  if (hot !== undefined && isWhole) return finish(exchange, answer, hot);
  const mayLoad = form.length <= MAX_SMALL || outgoingBytes.hasRoomFor(form.length) || bodies.isAtHand(form);
  if (hot === undefined && mayLoad && bodies.caches(file.entry, form, isPart ? from : undefined)) {
    return sendCold(exchange, answer);
  }
  return sendInPieces(exchange, answer);
}

function sendInPieces(exchange: Exchange, answer: BodyAnswer): Promise<FileOutcome> {
  const { form, from, to } = answer;
  return sendPieces(exchange, answer, (source) =>
    bodyPieces(source, exchange.context.bodies, form, from, to),
  );
}

async function sendCold(exchange: Exchange, answer: BodyAnswer): Promise<FileOutcome> {
  const { form, from, to } = answer;
  const loaded = await untilDisconnect<Loaded>(exchange.response, async (signal) => {
    const source = sourceOf(exchange, answer, signal);
    source.outgoing.load(form.length);
    try {
      return await exchange.context.bodies.load({ ...source, form });
    } finally {
      source.outgoing.load(-form.length);
    }
  });
  if (loaded === undefined) return 'over';
  if (loaded.kind !== 'body') return loaded;
  if (to - from > MAX_WHOLE || !outgoingBytes.hasRoomFor(to - from)) return sendInPieces(exchange, answer);
  return finish(exchange, answer, loaded.body);
}

function finish(exchange: Exchange, answer: BodyAnswer, body: Body): Promise<FileOutcome> | FileOutcome {
  if (answer.to - answer.from <= MAX_SMALL || loopTurns.takeNow()) return write(exchange, answer, body);
  // Others may have taken the room meanwhile.
  return loopTurns
    .wait()
    .then(() =>
      outgoingBytes.hasRoomFor(answer.to - answer.from)
        ? write(exchange, answer, body)
        : sendInPieces(exchange, answer),
    );
}

function write(exchange: Exchange, { status, headers, from, to }: BodyAnswer, body: Body): FileOutcome {
  const { response } = exchange;
  if (hasLeft(response)) return 'over';
  writeHead(exchange, status, headers);
  const isText = typeof body === 'string';
  if (isText && to - from === body.length && hasConnection(response)) {
    endTogether(exchange, body);
    return 'over';
  }
  const part = partOf(body, from, to);
  // A small part is copied, so that a slow viewer does not hold the whole.
  const isCopied = !isText && part.length < body.length && part.length <= MAX_SMALL;
  response.end(isCopied ? Buffer.from(part) : part);
  outgoingBytes.gave(response, () => clientAt(exchange));
  return 'over';
}

/** False for the responses of serverless adapters, which would send a text as UTF-8. */
function hasConnection({ writableLength }: ServerResponse): boolean {
  return !Number.isNaN(writableLength);
}

/**
 * Sends a body piece by piece, the next when the last was taken. Nothing is read for a viewer who has left. The head
 * goes out with the first piece, so that what fails before it can still be answered. Before each further MiB the
 * publication is checked again: a large file must not go on for as long as a slow viewer likes.
 */
export async function sendPieces(
  exchange: Exchange,
  answer: Pick<BodyAnswer, 'publication' | 'file' | 'status' | 'headers'>,
  piecesOf: (source: PieceSource) => AsyncIterable<Uint8Array>,
): Promise<FileOutcome> {
  const { response, context } = exchange;
  const { status, headers, publication } = answer;
  const outcome = await untilDisconnect<FileOutcome>(response, async (left) => {
    const source = sourceOf(exchange, answer, left);
    const { outgoing } = source;
    let unchecked = 0;
    try {
      for await (const piece of piecesOf(source)) {
        if (left.aborted) return 'over';
        if (unchecked > 0 && unchecked + piece.length > MAX_READ) {
          const now = await context.useCases.visit(publication.id, left);
          if (now.kind !== 'published') throw new EndedMeanwhile(now);
          unchecked = 0;
        }
        unchecked += piece.length;
        if (!exchange.isHeadWritten) writeHead(exchange, status, headers);
        const isTaken = response.write(piece);
        outgoing.gave(piece.length);
        if (!isTaken) await drained(response, left);
        outgoing.measure();
      }
      response.end();
      return 'over';
    } catch (error) {
      if (left.aborted || !(error instanceof EndedMeanwhile)) throw error;
      if (!exchange.isHeadWritten) return error.ended;
      // The rest of an ended publication's file is not sent: the truncated body shows it.
      response.destroy();
      return 'over';
    }
  });
  return outcome ?? 'over';
}

export function sourceOf(
  exchange: Exchange,
  { publication, file }: Pick<BodyAnswer, 'publication' | 'file'>,
  signal: AbortSignal,
): PieceSource & { readonly outgoing: ReturnType<typeof outgoingBytes.follow> } {
  const client = clientAt(exchange);
  const outgoing = outgoingBytes.follow(exchange.response, client);
  return { ...exchange.context.tools, publication, entry: file.entry, client, signal, outgoing };
}

function clientAt({ context, request }: Exchange): string {
  return clientOf(context.settings.clientAddress(request));
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

/** Runs work until the viewer disconnects: its outcome or failure after that is `undefined`. */
export async function untilDisconnect<Outcome>(
  response: ServerResponse,
  work: (left: AbortSignal) => Promise<Outcome>,
): Promise<Outcome | undefined> {
  if (hasLeft(response)) return undefined;
  const left = new AbortController();
  const leave = (): void => left.abort();
  response.once('close', leave);
  try {
    const outcome = await work(left.signal);
    return left.signal.aborted ? undefined : outcome;
  } catch (error) {
    if (left.signal.aborted) return undefined;
    throw error;
  } finally {
    response.off('close', leave);
  }
}

interface Ending {
  readonly exchange: Exchange;
  readonly text: string;
  readonly resource: AsyncResource;
}

/** Answers in memory of this turn of the event loop, with their heads made. */
let endings: Ending[] = [];

/**
 * Ends an answer once the event loop has read all requests that have arrived. Writing the answers one after another takes
 * a third less time than each after its request: the same code runs in a row, and a client or proxy on this machine is
 * woken once.
 */
export function endTogether(exchange: Exchange, text = ''): void {
  const { response } = exchange;
  // An app may have replaced `end`. Its version may throw, which the caller handles.
  if (Object.hasOwn(response, 'end')) {
    response.end(text, 'latin1');
    return;
  }
  // The async context of one request must not reach the events of another's answer.
  endings.push({ exchange, text, resource: new AsyncResource('PinfoldAnswer') });
  if (endings.length === 1) setImmediate(endAll);
}

function endAll(): void {
  const all = endings;
  endings = [];
  let begun = 0;
  try {
    for (const { exchange, text, resource } of all) {
      const { response } = exchange;
      begun += 1;
      resource.runInAsyncScope(response.end, response, text, 'latin1');
      outgoingBytes.gave(response, () => clientAt(exchange));
    }
  } finally {
    // A listener of an app may throw: the following answers must still be sent.
    if (begun < all.length) {
      endings = all.slice(begun).concat(endings);
      setImmediate(endAll);
    }
  }
}
