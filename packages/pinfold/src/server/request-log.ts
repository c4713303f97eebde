import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientAddress, RequestEntry, RequestLog } from '@pinfold/http';
import type { Settings } from '../settings/settings.ts';
import type { Log } from './log.ts';

/** The routes of views. */
export const VIEW_ROUTES: ReadonlySet<string> = new Set(['shared_url', 'name', 'hand_over', 'site']);

/** Health probes. They arrive every few seconds, so only failures are logged. */
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz', '/healthz']);

/** W3C Trace Context, version 00 and later ones. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** Logs requests as the settings say, and passes each one to `count`. */
export function createRequestLog(
  log: Pick<Log, 'request'>,
  { logAddresses, logViews }: Pick<Settings, 'logAddresses' | 'logViews'>,
  addressOf: ClientAddress,
  count?: (entry: RequestEntry, received: number, sent: number) => void,
): RequestLog {
  // Logs exactly the given share of views, not a random one, so that even few lines show true rates.
  let accumulated = 0;
  const shouldLog = ({ route, status, error }: RequestEntry): boolean => {
    if (status >= 400 || error !== undefined) return true;
    if (PROBES.has(route)) return false;
    if (logViews === 1 || !VIEW_ROUTES.has(route)) return true;
    accumulated += logViews;
    if (accumulated < 1) return false;
    accumulated -= 1;
    return true;
  };
  return (entry, request) => {
    const bytes = takeSent(request);
    count?.(entry, takeReceived(request), bytes);
    if (!shouldLog(entry)) return;
    log.request(entry, {
      bytes,
      trace: readTrace(request),
      client: logAddresses ? addressOf(request) : undefined,
    });
  };
}

function readTrace({ headers: { traceparent } }: IncomingMessage): string | undefined {
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}

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
function takeSent({ socket }: IncomingMessage): number {
  return take(socket, SENT, socket.bytesWritten);
}

/** Like {@link takeSent} for a request. Bytes that a client sends ahead may be counted with the request before. */
function takeReceived({ socket }: IncomingMessage): number {
  return take(socket, RECEIVED, socket.bytesRead);
}

function take(socket: CountedSocket, counter: typeof SENT | typeof RECEIVED, total: number = 0): number {
  const before = socket[counter] ?? 0;
  socket[counter] = total;
  return total - before;
}
