import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { unreadHeadPage } from '@pinfold/viewer';

// An import of node:http would load Node's fetch.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** How long what a client still sends is read: closing at once would lose it the answer. */
const REST = 2_000;

const TOO_LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  [TOO_LATE]: 408,
};

export interface Answers {
  newest: ServerResponse;
  /** The one whose turn it is; those behind it wait. */
  current: ServerResponse;
  /** The bytes read at the last check for idle connections, and how many checks in a row saw no byte. */
  bytesRead: number;
  silentChecks: number;
  /** How many of them in a row saw no request either. */
  idleChecks: number;
}

/**
 * Answers what Node could not read, with the status that Node gives; a head that is too large gets a page, since its
 * cookies make it so. Where it is the body of a request that its handler has, the handler is told and answers.
 */
export function answerUnread(
  error: Error & { readonly code?: string },
  socket: Socket,
  answers: Answers | undefined,
): void {
  // While requests wait, the next one is not read: that it does not come is not its client's doing.
  if (error.code === TOO_LATE && answers !== undefined && answers.newest !== answers.current) return;
  if (statusOf(error) === 400 && socket.writable && answers !== undefined && abortsBody(answers)) return;
  // An answer in memory is sent at the end of the turn of the event loop in which its head is made.
  if (isBegun(answers)) setImmediate(() => refuse(error, socket, isBegun(answers)));
  else refuse(error, socket, false);
}

/** Tells the reader of a body that its rest cannot be read; false where no answer waits for it. */
function abortsBody({ newest, current }: Answers): boolean {
  const { req: request } = current;
  if (newest !== current || current.headersSent || request.complete) return false;
  current.shouldKeepAlive = false;
  // Destroying the request would destroy the connection, which carries its answer.
  request.aborted = true;
  request.emit('aborted');
  return true;
}

function isBegun(answers: Answers | undefined): boolean {
  const current = answers?.current;
  return current?.headersSent === true && !current.writableFinished;
}

function refuse(error: { readonly code?: string }, socket: Socket, isInAnswer: boolean): void {
  // The rest of the connection cannot be read either.
  if (socket.writableEnded) return;
  if (!socket.writable || isInAnswer || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = statusOf(error);
  socket.end(status === 431 ? answerOf(status, unreadHeadPage) : answerOf(status));
  const late = setTimeout(() => socket.destroy(), REST);
  socket.once('close', () => clearTimeout(late)).resume();
}

function statusOf({ code }: { readonly code?: string }): number {
  return STATUSES[code ?? ''] ?? 400;
}

function answerOf(status: number, { html, headers } = { html: '', headers: {} }): string {
  const lines = Object.entries({
    ...headers,
    'Content-Length': String(Buffer.byteLength(html)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', html].join('\r\n');
}
