import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { unreadHeadPage } from '@pinfold/viewer';

// Importing node:http would also load Node's fetch.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** How long to read the rest that a client sends, in milliseconds: closing at once could lose the answer. */
const READ_REST_FOR = 2_000;

const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  [REQUEST_TIMEOUT]: 408,
};

export interface Answers {
  newest: ServerResponse;
  /** The answer that is being sent; later ones wait. */
  current: ServerResponse;
  /** Bytes read at the last check for idle connections. */
  bytesRead: number;
  /** Consecutive checks without a new byte. */
  silentChecks: number;
  /** Consecutive checks without a byte or a running request. */
  idleChecks: number;
}

/**
 * Answers a request that Node could not parse, with Node's status; a head that is too large gets a page, since
 * cookies are the usual reason. If only the body is broken, aborts it, and the request's handler answers.
 */
export function answerUnread(
  error: Error & { readonly code?: string },
  socket: Socket,
  answers: Answers | undefined,
): void {
  // While answers wait, the server does not read, so a timeout is not the client's fault.
  if (error.code === REQUEST_TIMEOUT && answers !== undefined && answers.newest !== answers.current) return;
  if (chooseStatus(error) === 400 && socket.writable && answers !== undefined && abortBody(answers)) return;
  // A short answer is sent at the end of this turn of the event loop; wait for it.
  if (isSending(answers)) setImmediate(() => sendError(error, socket, isSending(answers)));
  else sendError(error, socket, false);
}

/** Reports to the reader of the body that it is aborted; returns false if no answer depends on it. */
function abortBody({ newest, current }: Answers): boolean {
  const { req: request } = current;
  if (newest !== current || current.headersSent || request.complete) return false;
  current.shouldKeepAlive = false;
  // Destroying the request would destroy the connection, and with it the answer.
  request.aborted = true;
  request.emit('aborted');
  return true;
}

function isSending(answers: Answers | undefined): boolean {
  const current = answers?.current;
  return current?.headersSent === true && !current.writableFinished;
}

function sendError(error: { readonly code?: string }, socket: Socket, hasBegun: boolean): void {
  // The rest of the connection cannot be read either.
  if (socket.writableEnded) return;
  if (!socket.writable || hasBegun || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = chooseStatus(error);
  socket.end(status === 431 ? formatAnswer(status, unreadHeadPage) : formatAnswer(status));
  const timer = setTimeout(() => socket.destroy(), READ_REST_FOR);
  socket.once('close', () => clearTimeout(timer)).resume();
}

function chooseStatus({ code }: { readonly code?: string }): number {
  return STATUSES[code ?? ''] ?? 400;
}

function formatAnswer(status: number, { html, headers } = { html: '', headers: {} }): string {
  const lines = Object.entries({
    ...headers,
    'Content-Length': String(Buffer.byteLength(html)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', html].join('\r\n');
}
