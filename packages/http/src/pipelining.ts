import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { requireNodeRequest } from './request-head.ts';
import { loopTurns, type Turns } from './turns.ts';

/** The maximum number of requests that wait at the same time on all connections, about 2 KB each. */
const MAX_WAITING = 32_768;

interface Waiting {
  readonly response: ServerResponse;
  readonly context: AsyncResource;
  readonly work: () => void;
}

interface Connection {
  /** The response to the current or last request. */
  current: ServerResponse;
  /** Absent until the client sends a request before an answer, as few clients do. */
  queue?: Waiting[];
}

/** Handles the pipelined requests of a connection one after another. */
export class Pipelines {
  readonly #turns: Turns;
  readonly #maxWaiting: number;
  readonly #connections: WeakMap<Socket, Connection> = new WeakMap();
  #waiting = 0;

  /** @param maxWaiting waiting requests in total; the connection of a further one is closed. */
  constructor(turns: Turns, maxWaiting: number = MAX_WAITING) {
    this.#turns = turns;
    this.#maxWaiting = maxWaiting;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Calls `work` once the answers before this one are sent; never, if the connection closes first. */
  runInOrder(socket: Socket, response: ServerResponse, work: () => void): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) this.#connections.set(socket, { current: response });
    else if (isAhead(response, connection)) {
      this.#wait(socket, connection, { response, context: new AsyncResource('PinfoldRequest'), work });
      return;
    } else connection.current = response;
    work();
  }

  #wait(socket: Socket, connection: Connection, waiting: Waiting): void {
    if (socket.destroyed) return;
    if (this.#waiting >= this.#maxWaiting) {
      socket.destroy();
      return;
    }
    const queue = connection.queue ?? this.#open(socket, connection);
    this.#waiting += 1;
    if (queue.push(waiting) === 1) this.#await(socket, connection, queue);
  }

  #await(socket: Socket, connection: Connection, queue: Waiting[]): void {
    const begin = (): void => {
      const next = socket.destroyed ? undefined : queue.shift();
      if (next === undefined) return;
      this.#waiting -= 1;
      connection.current = next.response;
      if (queue.length > 0) this.#await(socket, connection, queue);
      // Restores the async context of this request: here, it is that of the request before.
      next.context.runInAsyncScope(next.work);
    };
    connection.current.once('close', () => this.#turns.queue(begin, 'cheap'));
  }

  #open(socket: Socket, connection: Connection): Waiting[] {
    const queue: Waiting[] = [];
    connection.queue = queue;
    socket.once('close', () => {
      this.#waiting -= queue.length;
      queue.length = 0;
    });
    return queue;
  }
}

/** Whether a request arrived before the answer to an earlier one: its response has no connection until that is sent. */
function isAhead(response: ServerResponse, { current, queue }: Connection): boolean {
  if (current === response || response.socket !== null || response.writableEnded) return false;
  return !current.writableFinished || (queue !== undefined && queue.length > 0);
}

/** One for the process, since several doors may share a connection. */
const pipelines = new Pipelines(loopTurns);

/**
 * Every door calls this first. It handles one request of an HTTP/1 connection at a time, in the order of their answers:
 * it calls `work` at once, or after the answers before, or never, if the connection closes first. Further requests wait
 * in a bounded queue.
 *
 * Nested doors may each call it. Streams of HTTP/2 are handled concurrently.
 */
export function runInRequestOrder(
  request: IncomingMessage,
  response: ServerResponse,
  work: () => void,
): void {
  requireNodeRequest(request, response);
  const { socket } = request;
  // Adapters of serverless platforms may have no connection.
  if (request.httpVersionMajor === 1 && socket !== undefined) pipelines.runInOrder(socket, response, work);
  else work();
}
