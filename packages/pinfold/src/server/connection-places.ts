import type { Socket } from 'node:net';
import { clientOf, outgoingBytes } from '@pinfold/http/internal';
import type { Answers } from './client-error.ts';

/** The time for the head of the first request while other clients need the place, in milliseconds. */
const FIRST_HEAD = 1_000;

/** The shortest time between two sorts of all connections, in milliseconds. */
const SORT_INTERVAL = 200;

/** Consecutive checks without a byte, after which a body counts as stalled. */
const STALLED_CHECKS = 2;

/**
 * Ends connections that do nothing when there is no place for new ones. Otherwise a client that opens many
 * connections, and sends nothing, half a request, or reads no answer, would lock out all others.
 */
export class ConnectionPlaces {
  max: number = Number.POSITIVE_INFINITY;
  /** When each connection was opened, by `performance.now()`. */
  readonly #opened: Map<Socket, number> = new Map();
  readonly #answersOf: (socket: Socket) => Answers | undefined;
  /** Connections that may be ended; the next one to end is last. */
  #idleSockets: Socket[] = [];
  #sortedAt = Number.NEGATIVE_INFINITY;
  #retry: NodeJS.Timeout | undefined;

  constructor(answersOf: (socket: Socket) => Answers | undefined) {
    this.#answersOf = answersOf;
  }

  /** Tracks a connection until it closes, and frees a place for the next one if necessary. */
  take(socket: Socket): void {
    this.#opened.set(socket, performance.now());
    socket.once('close', () => this.#opened.delete(socket));
    this.#makeRoom();
  }

  /** The tracked connections. */
  [Symbol.iterator](): Iterator<Socket> {
    return this.#opened.keys();
  }

  #makeRoom(): void {
    if (this.#opened.size < this.max || this.#endNext() || outgoingBytes.endSlowest()) return;
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#makeRoom();
    }, SORT_INTERVAL).unref();
  }

  #endNext(): boolean {
    const now = performance.now();
    if (now - this.#sortedAt >= SORT_INTERVAL) {
      this.#sortedAt = now;
      this.#idleSockets = this.#sortIdle(now);
    }
    for (let socket = this.#idleSockets.pop(); socket !== undefined; socket = this.#idleSockets.pop()) {
      if (socket.destroyed || this.#idleness(socket, now) === 0) continue;
      this.#opened.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  /** Sorts idle connections: those of the client with the most come last, and among them the longest idle. */
  #sortIdle(now: number): Socket[] {
    const idle = [...this.#opened.keys()]
      .map((socket) => ({
        socket,
        client: clientOf(socket.remoteAddress ?? ''),
        idleness: this.#idleness(socket, now),
      }))
      .filter(({ idleness }) => idleness > 0);
    const counts = new Map<string, number>();
    for (const { client } of idle) counts.set(client, (counts.get(client) ?? 0) + 1);
    const countOf = (client: string): number => counts.get(client) ?? 0;
    return idle
      .toSorted((one, other) => countOf(one.client) - countOf(other.client) || one.idleness - other.idleness)
      .map(({ socket }) => socket);
  }

  /**
   * Rates how idle a connection is; 0 while a request may be running. A connection that never sent a whole request is
   * rated highest.
   */
  #idleness(socket: Socket, now: number): number {
    const answers = this.#answersOf(socket);
    if (answers === undefined) {
      const age = now - (this.#opened.get(socket) ?? now);
      return age > FIRST_HEAD ? 1_000_000 + age : 0;
    }
    const { newest, current, silentChecks } = answers;
    if (newest.writableFinished) return 1 + silentChecks;
    const { req: request } = current;
    // Until a handler reads a body, it stands still through no fault of the client.
    const isRead = request.readableFlowing === true || current.headersSent;
    return !request.complete && isRead && silentChecks >= STALLED_CHECKS ? silentChecks : 0;
  }
}
