import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Milliseconds between two looks. */
const LOOK = 5_000;

/** Checks in a row without progress that close a connection: after 45 to 50 seconds. */
const LOOKS = 9;

interface Sight {
  readonly written: number;
  readonly buffered: number;
  readonly underWay: number;
  /** How many looks in turn saw the same. */
  readonly times: number;
}

/** Closes connections whose client takes nothing of what is sent to it; one that waits for its answer is never cut. */
export class UntakenAnswers {
  readonly #sights: Map<Socket, Sight | undefined> = new Map();
  readonly #servers: WeakSet<EventEmitter> = new WeakSet();
  readonly #opened: (socket: Socket) => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param opened is called with each connection, once it is watched. */
  constructor(opened: (socket: Socket) => void = () => {}) {
    this.#opened = opened;
  }

  get connections(): Iterable<Socket> {
    return this.#sights.keys();
  }

  /** Looks after a connection from now on, until it closes, and after those that its server accepts later. */
  watch(socket: Socket): void {
    if (this.#sights.has(socket) || socket.destroyed) return;
    this.#watchServer(socket);
    this.#sights.set(socket, undefined);
    this.#opened(socket);
    socket.once('close', () => {
      this.#sights.delete(socket);
      if (this.#sights.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    this.#timer ??= setInterval(() => this.look(), LOOK).unref();
  }

  #watchServer(socket: Socket): void {
    const { server } = socket as { readonly server?: unknown };
    if (!(server instanceof EventEmitter) || this.#servers.has(server)) return;
    this.#servers.add(server);
    const event = socket instanceof TLSSocket ? 'secureConnection' : 'connection';
    server.on(event, (next: Socket) => this.watch(next));
  }

  look(): void {
    for (const [socket, before] of this.#sights) {
      const now = sightOf(socket, before);
      if (now !== undefined && now.times > LOOKS) socket.destroy();
      else if (now !== before) this.#sights.set(socket, now);
    }
  }
}

function sightOf(socket: Socket, before: Sight | undefined): Sight | undefined {
  const { bytesWritten: written, writableLength: buffered } = socket;
  if (buffered === 0) return undefined;
  const underWay = bytesUnderWay(socket);
  const same = before?.written === written && before.buffered === buffered && before.underWay === underWay;
  return { written, buffered, underWay, times: same ? before.times + 1 : 1 };
}

/** Bytes of a write that the system has not taken, of no public name. Without them a slow client looks stalled. */
function bytesUnderWay(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? 0;
}
