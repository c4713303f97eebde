import type { Socket } from 'node:net';
import { clientOf, outgoingBytes } from '@pinfold/http/internal';
import type { Answers } from './client-error.ts';

/** How long a client may take for the head of its first request while others wait for its place, in milliseconds. */
const FIRST_HEAD = 1_000;

/** How often all connections are put in order at most, in milliseconds. */
const SORT_INTERVAL = 200;

/** Checks in a row without a byte of a body. */
const STALLED_CHECKS = 2;

/**
 * Ends connections that do nothing while there is no place for further ones: whoever opens many and sends nothing, half a
 * request, or reads no answer, would keep everybody else out.
 */
export class ConnectionPlaces {
  max: number = Number.POSITIVE_INFINITY;
  /** When each was opened, by `performance.now()`. */
  readonly #opened: Map<Socket, number> = new Map();
  readonly #answersOf: (socket: Socket) => Answers | undefined;
  /** Connections that can end, the next last. */
  #order: Socket[] = [];
  #orderedAt = Number.NEGATIVE_INFINITY;
  #next: NodeJS.Timeout | undefined;

  constructor(answersOf: (socket: Socket) => Answers | undefined) {
    this.#answersOf = answersOf;
  }

  /** Notes a connection until it closes, and sees that the next one finds a place. */
  take(socket: Socket): void {
    this.#opened.set(socket, performance.now());
    socket.once('close', () => this.#opened.delete(socket));
    this.#makeRoom();
  }

  #makeRoom(): void {
    if (this.#opened.size < this.max || this.#endNext() || outgoingBytes.endSlowest()) return;
    this.#next ??= setTimeout(() => {
      this.#next = undefined;
      this.#makeRoom();
    }, SORT_INTERVAL).unref();
  }

  #endNext(): boolean {
    const now = performance.now();
    if (now - this.#orderedAt >= SORT_INTERVAL) {
      this.#orderedAt = now;
      this.#order = this.#idleLast(now);
    }
    for (let socket = this.#order.pop(); socket !== undefined; socket = this.#order.pop()) {
      if (socket.destroyed || this.#idleness(socket, now) === 0) continue;
      this.#opened.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  /** Those of the client with the most come last, and of them the longest idle. */
  #idleLast(now: number): Socket[] {
    const idle = [...this.#opened.keys()]
      .map((socket) => ({
        socket,
        client: clientOf(socket.remoteAddress ?? ''),
        idleness: this.#idleness(socket, now),
      }))
      .filter(({ idleness }) => idleness > 0);
    const held = new Map<string, number>();
    for (const { client } of idle) held.set(client, (held.get(client) ?? 0) + 1);
    const most = (client: string): number => held.get(client) ?? 0;
    return idle
      .toSorted((one, other) => most(one.client) - most(other.client) || one.idleness - other.idleness)
      .map(({ socket }) => socket);
  }

  /** 0 while something runs on it, or may be about to. One that never had a whole request is the most idle. */
  #idleness(socket: Socket, now: number): number {
    const answers = this.#answersOf(socket);
    if (answers === undefined) {
      const age = now - (this.#opened.get(socket) ?? now);
      return age > FIRST_HEAD ? 1_000_000 + age : 0;
    }
    const { newest, current, silentChecks } = answers;
    if (newest.writableFinished) return 1 + silentChecks;
    const { req: request } = current;
    // A body that nobody reads yet stands still by no fault of its client.
    const isRead = request.readableFlowing === true || current.headersSent;
    return !request.complete && isRead && silentChecks >= STALLED_CHECKS ? silentChecks : 0;
  }
}
