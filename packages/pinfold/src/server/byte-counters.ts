import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How much of each connection was counted before, on the connection itself: a WeakMap costs each view more. */
const SENT: unique symbol = Symbol('sent');
const RECEIVED: unique symbol = Symbol('received');

interface CountedSocket extends Socket {
  [SENT]?: number;
  [RECEIVED]?: number;
}

/**
 * Bytes of an answer on its connection, its head included: what the connection sent since it was last asked, since its
 * requests are answered one after another. 0 where the server is not Node's own and counts none.
 */
export function takeSent({ socket }: IncomingMessage): number {
  return take(socket, SENT, socket.bytesWritten);
}

/** As {@link takeSent}, of a request; what a client sends ahead may be counted with the request before. */
export function takeReceived({ socket }: IncomingMessage): number {
  return take(socket, RECEIVED, socket.bytesRead);
}

function take(socket: CountedSocket, what: typeof SENT | typeof RECEIVED, counted: number = 0): number {
  const before = socket[what] ?? 0;
  socket[what] = counted;
  return counted - before;
}
