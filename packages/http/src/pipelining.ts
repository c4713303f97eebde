import { AsyncResource } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Turns } from './turns.ts';

/** Requests that may wait at the same time over all connections, some 2 KB each. */
const MOST_WAITING = 32_768;

interface Waiting {
  readonly response: ServerResponse;
  readonly context: AsyncResource;
  readonly work: () => void;
}

/** Lets the requests that a client sent at once wait for each other. */
export class Pipelines {
  readonly #turns: Turns;
  readonly #most: number;
  /** By connection, the next first: few clients ever have an entry. */
  readonly #queues: Map<Socket, Waiting[]> = new Map();
  #waiting = 0;

  /** @param most requests that may wait in all; the connection that brings one more is closed. */
  constructor(turns: Turns, most: number = MOST_WAITING) {
    this.#turns = turns;
    this.#most = most;
  }

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
    const queue = this.#queues.get(socket) ?? this.#open(socket);
    this.#waiting += 1;
    // The async context of an app is that of this request, not of the one before.
    queue.push({ response, context: new AsyncResource('PinfoldRequest'), work });
    if (queue.length === 1) this.#await(socket, queue);
  }

  #await(socket: Socket, queue: Waiting[]): void {
    const [next] = queue;
    const begin = (): void => {
      if (socket.destroyed) return;
      queue.shift();
      this.#waiting -= 1;
      this.#await(socket, queue);
      next?.context.runInAsyncScope(next.work);
    };
    next?.response.once('socket', () => this.#turns.queue(begin));
  }

  #open(socket: Socket): Waiting[] {
    const queue: Waiting[] = [];
    this.#queues.set(socket, queue);
    socket.once('close', () => {
      this.#waiting -= queue.length;
      this.#queues.delete(socket);
    });
    return queue;
  }
}
