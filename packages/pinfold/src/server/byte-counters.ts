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
export function takeSent(request: IncomingMessage): number {
  const socket: CountedSocket = request.socket;
  const before = socket[SENT] ?? 0;
  const sent = socket.bytesWritten ?? 0;
  socket[SENT] = sent;
  return sent - before;
}

/** As {@link takeSent}, of a request; what a client sends ahead may be counted with the request before. */
export function takeReceived(request: IncomingMessage): number {
  const socket: CountedSocket = request.socket;
  const before = socket[RECEIVED] ?? 0;
  const received = socket.bytesRead ?? 0;
  socket[RECEIVED] = received;
  return received - before;
}
