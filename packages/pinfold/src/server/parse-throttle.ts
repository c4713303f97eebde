import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { loopTurns } from '@pinfold/http/internal';

/** How long connections are read in pieces after a client sent a request before an earlier answer, in milliseconds. */
const CAUTION_TIME = 600_000;

/** The fewest bytes of a body to parse at once; they may include the head of the next request. */
const BODY_PIECE = 4_096;

const END_OF_HEAD = '\r\n\r\n';

interface ParsedHead {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Passes Node's parser one request head at a time, and the next one after the answer. By itself, Node parses all of
 * the 64 KiB that it reads at once, over a thousand requests, in one turn of the event loop.
 *
 * Reading in pieces is slightly slower, so it begins when a client sends a request before an earlier answer. Then it
 * applies to all connections, because hundreds of clients may do the same at once.
 */
export class ParseThrottle {
  readonly #readers: WeakMap<Socket, PiecewiseReader> = new WeakMap();
  #cautiousUntil = 0;

  /** Call it for each new connection. */
  opened(socket: Socket): void {
    if (performance.now() < this.#cautiousUntil) this.#readerOf(socket);
  }

  /** Call it for each request after its head was parsed. */
  parsed(head: ParsedHead, connections: Iterable<Socket>): void {
    const { socket } = head.request;
    // A response has no socket while earlier ones on the connection are unsent.
    if (head.response.socket === null) {
      const now = performance.now();
      if (now >= this.#cautiousUntil) for (const connected of connections) this.#readerOf(connected);
      this.#cautiousUntil = now + CAUTION_TIME;
      this.#readerOf(socket).follow(head);
    } else if (this.#cautiousUntil > 0) this.#readers.get(socket)?.follow(head);
  }

  #readerOf(socket: Socket): PiecewiseReader {
    const reader = this.#readers.get(socket) ?? new PiecewiseReader(socket);
    this.#readers.set(socket, reader);
    return reader;
  }
}

class PiecewiseReader {
  readonly #socket: Socket;
  #parsers: readonly Parser[] = [];
  #newest: ParsedHead | undefined;
  /** Whether bytes stay unread until the answer is sent. */
  #isHeld = false;
  #isQueued = false;
  #hasTurn = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Later, because Node may be parsing bytes of this connection now.
    process.nextTick(this.#start);
  }

  /** Leaves the bytes after a request unread until its answer is sent. */
  follow(newest: ParsedHead): void {
    if (newest.response === this.#newest?.response) return;
    this.#newest = newest;
    newest.response.once('close', () => {
      if (this.#newest !== newest) return;
      this.#newest = undefined;
      if (this.#isHeld) this.#readOn();
    });
  }

  readonly #start = (): void => {
    const socket = this.#socket;
    // Until the first pause Node's parser reads by itself; taking over while it is paused would leave it paused.
    if (socket.isPaused()) {
      socket.once('resume', this.#start);
      return;
    }
    this.#parsers = listParsers(socket);
    if (this.#parsers.length === 0) return;
    socket.removeAllListeners('data').on('data', this.#take);
  };

  readonly #take = (bytes: Buffer): void => {
    if (this.#mustWait) {
      this.#hold(bytes);
      return;
    }
    const socket = this.#socket;
    const current = requestBeingParsed(socket);
    const end = findPieceEnd(bytes, current);
    const rest = bytes.subarray(end);
    // A client that sends requests ahead takes its turn in the queue, from the first of them on.
    const isAhead = rest.length > 0 && current?.complete !== false && hasNoBody(bytes);
    if (isAhead && !this.#hasTurn && !loopTurns.takeNow('cheap')) {
      this.#hold(bytes);
      this.#readOn();
      return;
    }
    this.#hasTurn = false;
    for (const parse of this.#parsers) parse.call(socket, bytes.subarray(0, end));
    if (rest.length === 0 || socket.destroyed) return;
    // Node itself pauses a connection whose body is not read, and resumes it later.
    if (socket.isPaused()) {
      socket.unshift(rest);
      return;
    }
    this.#hold(rest);
    if (!this.#mustWait) this.#readOn();
  };

  get #mustWait(): boolean {
    return this.#isQueued || this.#newest?.request.complete === true || isParsingStopped(this.#socket);
  }

  #hold(bytes: Buffer): void {
    this.#isHeld = true;
    this.#socket.pause().unshift(bytes);
  }

  #readOn(): void {
    this.#isHeld = false;
    this.#isQueued = true;
    loopTurns.queue(() => {
      this.#isQueued = false;
      this.#hasTurn = true;
      if (!this.#socket.destroyed) this.#socket.resume();
    }, 'cheap');
  }
}

/** The end of the first head in the bytes, or of all bytes. Searches a body only after some kilobytes. */
function findPieceEnd(bytes: Buffer, current: IncomingMessage | null | undefined): number {
  const from = current?.complete === false ? BODY_PIECE : 0;
  const end = bytes.indexOf(END_OF_HEAD, from, 'latin1');
  return end === -1 ? bytes.length : end + END_OF_HEAD.length;
}

/** Whether the bytes begin a GET or HEAD request, so that another request follows its head. */
function hasNoBody([first]: Buffer): boolean {
  return first === 0x47 || first === 0x48;
}

// Undocumented parts of node:http, which the limit on pipelined requests needs:
// - `socket.parser.incoming`: the request whose body is being parsed, or was parsed last;
// - `socket._paused`: whether parsing is paused because the client does not take its answers;
// - the `data` listeners of a new connection: only the parser, until others add theirs.

interface Internals {
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
  readonly _paused?: boolean;
}

type Parser = (bytes: Buffer) => void;

function requestBeingParsed(socket: Duplex): IncomingMessage | null | undefined {
  return (socket as Internals).parser?.incoming;
}

function isParsingStopped(socket: Duplex): boolean {
  return (socket as Internals)._paused === true;
}

function listParsers(socket: Duplex): readonly Parser[] {
  return socket.listeners('data') as Parser[];
}

/** Whether this runtime has these parts; tries them with a connection in memory. */
export function hasKnownParser(): boolean {
  const { createServer } = process.getBuiltinModule('node:http');
  const results: unknown[] = [];
  const socket = new Duplex({ read: () => {}, write: (_bytes, _encoding, done) => done() });
  const server = createServer((request) => results.push(requestBeingParsed(socket) === request));
  try {
    server.emit('connection', socket);
    const { _paused: paused } = socket as Internals;
    const parsers = listParsers(socket);
    for (const parse of parsers) parse.call(socket, Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    return parsers.length === 1 && results.length === 1 && results[0] === true && paused === false;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
