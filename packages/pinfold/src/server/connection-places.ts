import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { clientOf, outgoingBytes } from '@pinfold/http/internal';
import type { Answers } from './client-error.ts';

/**
 * Bytes of memory for each connection: an answer that the client does not take needs some 57,000, or 70,000 if it is
 * inflated.
 */
const MEMORY_PER_CONNECTION = 163_840;
/** Bytes of the process itself, including garbage that V8 has not collected yet. */
const MEMORY_OF_PROCESS = 201_326_592;
/** Bytes of V8's heap for each connection: an answer that the client does not take needs some 17,000. */
const HEAP_PER_CONNECTION = 20_480;
/** Bytes of V8's heap for the process itself, including 192 MiB for young objects. */
const HEAP_OF_PROCESS = 234_881_024;
/** Open files for each connection: its socket, and an archive that is being read or received. */
const FILES_PER_CONNECTION = 2;
/** Open files of the process itself, while it publishes. */
const FILES_OF_PROCESS = 48;
const MIN_CONNECTIONS = 64;
/** With fewer files than for these the server hardly works. */
const MIN_CONNECTIONS_BY_FILES = 8;

/**
 * The number of connections that a process with this much memory can serve.
 *
 * @param heap the bytes that V8 may use for objects: less than the memory if Node has an option for that.
 *
 * @param files the number of files that may be open, sockets included.
 */
export function computeMaxConnections(
  memory: number,
  heap: number = getHeapStatistics().heap_size_limit,
  files: number = readOpenFileLimit() ?? Number.POSITIVE_INFINITY,
): number {
  const byMemory = (memory - MEMORY_OF_PROCESS) / MEMORY_PER_CONNECTION;
  const byHeap = (heap - HEAP_OF_PROCESS) / HEAP_PER_CONNECTION;
  const byFiles = Math.max(MIN_CONNECTIONS_BY_FILES, (files - FILES_OF_PROCESS) / FILES_PER_CONNECTION);
  // Above the limit of files the system would accept connections and close them, and no place would be freed.
  return Math.floor(Math.min(Math.max(MIN_CONNECTIONS, Math.min(byMemory, byHeap)), byFiles));
}

/** Reads how many files and sockets the process may have open; `undefined` on systems other than Linux. */
export function readOpenFileLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

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
