import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expectNodeRequest } from './header-values.ts';
import { loopTurns, type Turns } from './turns.ts';

/** Requests that may wait at the same time over all connections, some 2 KB each. */
const MAX_WAITING = 32_768;

interface Waiting {
  readonly response: ServerResponse;
  readonly context: AsyncResource;
  readonly work: () => void;
}

interface Connection {
  /** The response of the request that is worked on, or was last. */
  current: ServerResponse;
  /** Absent until a client sends a request before an answer: few ever do. */
  queue?: Waiting[];
}

/** Lets the requests that a client sent at once wait for each other. */
export class Pipelines {
  readonly #turns: Turns;
  readonly #maxWaiting: number;
  readonly #connections: WeakMap<Socket, Connection> = new WeakMap();
  #waiting = 0;

  /** @param maxWaiting requests that may wait in all; the connection that brings one more is closed. */
  constructor(turns: Turns, maxWaiting: number = MAX_WAITING) {
    this.#turns = turns;
    this.#maxWaiting = maxWaiting;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Calls `work` when the answers before this one are out; never, when the connection closes before. */
  take(socket: Socket, response: ServerResponse, work: () => void): void {
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
      // The async context of an app is that of this request, not of the one before.
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

/** Whether a request came before the answer to one that a door has: its response has no connection until then. */
function isAhead(response: ServerResponse, { current, queue }: Connection): boolean {
  if (current === response || response.socket !== null || response.writableEnded) return false;
  return !current.writableFinished || (queue !== undefined && queue.length > 0);
}

/** Several doors may share a connection, so the queue is of the whole process. */
const pipelines = new Pipelines(loopTurns);

/**
 * Every door calls this first. One request of an HTTP/1 connection is handled at a time, in the order of their answers:
 * `work` is called at once, or when the answers before it are out, or never, when the connection closes before. Further
 * requests wait in a bounded queue.
 *
 * Nested doors may each call it. Streams of HTTP/2 are handled concurrently.
 */
export function takeRequest(request: IncomingMessage, response: ServerResponse, work: () => void): void {
  expectNodeRequest(request, response);
  const { socket } = request;
  // Adapters of serverless platforms may have no connection.
  if (request.httpVersionMajor === 1 && socket !== undefined) pipelines.take(socket, response, work);
  else work();
}
