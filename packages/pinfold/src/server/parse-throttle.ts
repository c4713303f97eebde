import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { loopTurns } from '@pinfold/http/internal';
import { isParsingStopped, parsersOf, requestBeingParsed } from './node-parser.ts';

/** How long all connections are read in pieces after a client sent a request ahead of an answer, in milliseconds. */
const WARY_FOR = 600_000;

/** Bytes of a body that are parsed at once at least; the head of a next request may be among them. */
const BODY_PIECE = 4_096;

const END_OF_HEAD = '\r\n\r\n';

interface ParsedHead {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Hands Node one head at a time of what a connection brings, and the next when the answer is out. Node by itself parses
 * the 64 KiB that it reads at once, over a thousand requests, in one turn of the event loop. Pieces take Node a little
 * longer, so connections are read whole until a client sends a request ahead of an answer; from then on every connection
 * is read in pieces, because hundreds of clients may do the same at the same moment.
 */
export class ParseThrottle {
  readonly #readers: WeakMap<Socket, PiecewiseReader> = new WeakMap();
  #waryUntil = 0;

  /** Call it with each connection that the server accepts. */
  opened(socket: Socket): void {
    if (performance.now() < this.#waryUntil) this.#readerOf(socket);
  }

  /** Call it with each request, when its head was parsed. */
  parsed(head: ParsedHead, connections: Iterable<Socket>): void {
    const { socket } = head.request;
    // Node gives a response its connection when those before it are out.
    if (head.response.socket === null) {
      const now = performance.now();
      if (now >= this.#waryUntil) for (const one of connections) this.#readerOf(one);
      this.#waryUntil = now + WARY_FOR;
      this.#readerOf(socket).follow(head);
    } else if (this.#waryUntil > 0) this.#readers.get(socket)?.follow(head);
  }

  #readerOf(socket: Socket): PiecewiseReader {
    const reader = this.#readers.get(socket) ?? new PiecewiseReader(socket);
    this.#readers.set(socket, reader);
    return reader;
  }
}

class PiecewiseReader {
  readonly #socket: Socket;
  #parsers: ReturnType<typeof parsersOf> = [];
  #newest: ParsedHead | undefined;
  /** Whether bytes are left in the connection until the answer is out. */
  #isHeld = false;
  #isQueued = false;
  #hasTurn = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Node may be parsing what it has read of this connection.
    process.nextTick(this.#start);
  }

  /** Leaves unread what comes behind a request until its answer is out. */
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
    // Node's parser reads by itself up to here, and what it has stopped would stay stopped.
    if (socket.isPaused()) {
      socket.once('resume', this.#start);
      return;
    }
    this.#parsers = parsersOf(socket);
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
    const end = endOfPiece(bytes, current);
    const rest = bytes.subarray(end);
    // A client that sends requests ahead waits for its turn with the first of them already.
    const isAhead = rest.length > 0 && current?.complete !== false && hasNoBody(bytes);
    if (isAhead && !this.#hasTurn && !loopTurns.takeNow('cheap')) {
      this.#hold(bytes);
      this.#readOn();
      return;
    }
    this.#hasTurn = false;
    for (const parse of this.#parsers) parse.call(socket, bytes.subarray(0, end));
    if (rest.length === 0 || socket.destroyed) return;
    // Node pauses a connection by itself where a body is not taken, and resumes it.
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

/** Where the first head in the bytes ends, or all of them; in a body it is looked for less often. */
function endOfPiece(bytes: Buffer, current: IncomingMessage | null | undefined): number {
  const from = current?.complete === false ? BODY_PIECE : 0;
  const end = bytes.indexOf(END_OF_HEAD, from, 'latin1');
  return end === -1 ? bytes.length : end + END_OF_HEAD.length;
}

/** Whether the bytes begin a GET or HEAD, so that what follows the head is another request. */
function hasNoBody([first]: Buffer): boolean {
  return first === 0x47 || first === 0x48;
}
