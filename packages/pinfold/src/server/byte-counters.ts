import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes that a request and its answer were on their connection, heads among them. */
export interface Traffic {
  readonly received: number;
  readonly sent: number;
}

const NOTHING: Traffic = { received: 0, sent: 0 };

/** How much of each connection has been told of. */
const told: WeakMap<Socket, Traffic> = new WeakMap();

/**
 * What came and went on a connection since it was last asked: of one request, as they are answered one after another.
 * What a client sends ahead may be counted with the request before.
 */
export function takeTraffic({ socket }: IncomingMessage): Traffic {
  const before = told.get(socket) ?? NOTHING;
  const now = { received: socket.bytesRead, sent: socket.bytesWritten };
  told.set(socket, now);
  return { received: now.received - before.received, sent: now.sent - before.sent };
}
