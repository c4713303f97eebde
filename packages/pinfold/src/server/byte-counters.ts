import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The bytes counted so far, stored on the socket itself: a WeakMap would cost more on every view. */
const SENT: unique symbol = Symbol('sent');
const RECEIVED: unique symbol = Symbol('received');

interface CountedSocket extends Socket {
  [SENT]?: number;
  [RECEIVED]?: number;
}

/**
 * Bytes that the connection has sent since the last call: those of one answer with its head, because a connection
 * sends one answer at a time. 0 on servers other than Node's, which do not count.
 */
export function takeSent({ socket }: IncomingMessage): number {
  return take(socket, SENT, socket.bytesWritten);
}

/** Like {@link takeSent} for a request. Bytes that a client sends ahead may be counted with the request before. */
export function takeReceived({ socket }: IncomingMessage): number {
  return take(socket, RECEIVED, socket.bytesRead);
}

function take(socket: CountedSocket, counter: typeof SENT | typeof RECEIVED, total: number = 0): number {
  const before = socket[counter] ?? 0;
  socket[counter] = total;
  return total - before;
}
