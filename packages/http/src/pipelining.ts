import { AsyncResource } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { readInPieces } from './parse-throttle.ts';

/** Requests that may wait at the same time over all connections, some 2 KB each. */
const MOST_WAITING = 32_768;

/** Milliseconds for others between two connections that are read on. */
const REST = 5;

/** Requests that begin in one turn of the event loop, over all connections. */
const BEGUN_A_TURN = 8;

/** A request that waits for the answers before it. */
interface Waiting {
  readonly response: ServerResponse;
  readonly context: AsyncResource;
  readonly work: () => void;
}

/** What holds a connection back while requests of it wait. */
interface Hold {
  /** The next first. */
  readonly queue: Waiting[];
  readonly pause: () => void;
  readonly close: () => void;
}

/** Lets the requests that a client sent at once wait for each other, and leaves unread what it sent beyond them. */
export class Pipelines {
  readonly #most: number;
  /** By connection: few clients ever have an entry. */
  readonly #holds: Map<Socket, Hold> = new Map();
  /** Connections that are to be read on, the next first. */
  readonly #unread: Set<Socket> = new Set();
  /** Requests whose turn has come, the next first. */
  readonly #ready: (() => void)[] = [];
  #begin: NodeJS.Immediate | undefined;
  #waiting = 0;

  /** @param most requests that may wait in all; the connection that brings one more is closed. */
  constructor(most: number = MOST_WAITING) {
    this.#most = most;
  }

  /** How many requests wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Calls `work` when the answers before this one are out; never, when the connection closes before. */
  wait(socket: Socket, response: ServerResponse, work: () => void): void {
    if (socket.destroyed) return;
    if (this.#waiting >= this.#most) {
      socket.destroy();
      return;
    }
    const hold = this.#holds.get(socket) ?? this.#hold(socket);
    this.#waiting += 1;
    // What an app has bound to its requests, such as who asks, is this one's and not that of the one before.
    hold.queue.push({ response, context: new AsyncResource('PinfoldRequest'), work });
    if (hold.queue.length === 1) this.#await(socket, hold);
  }

  #await(socket: Socket, hold: Hold): void {
    const [next] = hold.queue;
    next?.response.once('socket', () => {
      this.#ready.push(() => {
        if (socket.destroyed) return;
        hold.queue.shift();
        this.#waiting -= 1;
        if (hold.queue.length === 0) this.#release(socket, hold);
        else this.#await(socket, hold);
        next.context.runInAsyncScope(next.work);
      });
      this.#begin ??= setImmediate(this.#beginSome);
    });
  }

  /** Other clients have their turn between them: hundreds become ready at once where as many connections sent several. */
  readonly #beginSome = (): void => {
    const next = this.#ready.splice(0, BEGUN_A_TURN);
    this.#begin = this.#ready.length > 0 ? setImmediate(this.#beginSome) : undefined;
    for (const begin of next) begin();
  };

  #hold(socket: Socket): Hold {
    const pause = (): void => {
      if (hold.queue.length > 0) socket.pause();
    };
    const hold: Hold = { queue: [], pause, close: () => this.#release(socket, hold) };
    this.#holds.set(socket, hold);
    // Node resumes the socket to read a body or to discard the rest of one.
    socket.on('resume', pause).once('close', hold.close);
    // Within the handler it would be undone: Node goes to the end of what it has read first.
    process.nextTick(pause);
    readInPieces(socket, () => this.#holds.has(socket));
    return hold;
  }

  #release(socket: Socket, hold: Hold): void {
    this.#waiting -= hold.queue.length;
    hold.queue.length = 0;
    this.#holds.delete(socket);
    socket.off('resume', hold.pause).off('close', hold.close);
    this.#unread.add(socket);
    if (this.#unread.size === 1) setImmediate(this.#readOn);
  }

  /** One after the other: what a connection brings at once is parsed without a pause. */
  readonly #readOn = (): void => {
    const [socket] = this.#unread;
    if (socket === undefined) return;
    this.#unread.delete(socket);
    socket.resume();
    if (this.#unread.size > 0) setTimeout(this.#readOn, REST);
  };
}
