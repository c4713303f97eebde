import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientAddress, RequestEntry, RequestLog } from '@pinfold/http';
import { type LoggerOptions, pino } from 'pino';
import type { LogFormat, LogLevel, Settings } from '../settings/settings.ts';
import {
  describeError,
  formatReadableLine,
  formatReadableRequest,
  formatRequestLine,
  type RequestTraits,
  shortenLine,
} from './log-line.ts';
import { ATOMIC_BYTES, LogOutput } from './log-output.ts';

/** The server's log: JSON lines on standard output, or readable ones on a terminal. */
export interface Log {
  request(entry: RequestEntry, traits: RequestTraits): void;
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
  /** Writes the lines held in memory, for at most a second; call it last. */
  flush(): Promise<void>;
  /** Whether a write still blocked after that second: `process.exit` would wait for it without a limit. */
  readonly isStuck: boolean;
}

/** Receives the lines. Default: standard output. */
export type LogSink = (line: string) => void;

interface LogOptions {
  /** Members of every line; without them, lines do not name the node. */
  readonly names?: { readonly node: string; readonly version: string };
  /** Whether other processes write to the same output: lines of errors are then shortened to stay whole. */
  readonly shared?: boolean;
  /** Default: `json`. */
  readonly format?: LogFormat;
}

/** Opens the log. Lines are written in batches, without delaying answers; errors at once. */
export function openLog(
  level: LogLevel,
  sink?: LogSink,
  { names, shared = false, format = 'json' }: LogOptions = {},
): Log {
  const reportLost = (lines: number): void =>
    logger.warn({ lines }, 'lines of the log were lost because their reader was too slow');
  const output = sink === undefined ? new LogOutput(shared, reportLost) : undefined;
  let isUrgent = false;
  const write = sink ?? ((line: string) => output?.write(line, isUrgent));
  const base = names === undefined ? null : { ...names };
  const timestamp = (): string => `,"time":"${timeNow()}"`;
  const options: LoggerOptions = { level, base, timestamp };
  const print = (line: string): void => {
    const shortened = shared && isUrgent ? shortenLine(line, ATOMIC_BYTES) : line;
    write(format === 'json' ? shortened : formatReadableLine(shortened));
  };
  const logger = pino(options, { write: print });
  const writeUrgently = (writeLine: () => void): void => {
    isUrgent = true;
    writeLine();
    isUrgent = false;
  };
  const namesText = names === undefined ? '' : `${JSON.stringify(names).slice(1, -1)},`;
  const formatHead = (level: number): string => `{"level":${level},"time":"${timeNow()}",${namesText}`;
  const logsRequests = logger.isLevelEnabled('info');
  const logsErrors = logger.isLevelEnabled('error');
  return {
    request: (entry, traits) => {
      if (entry.error !== undefined) {
        const line = formatRequestLine(formatHead(50), entry, traits, describeError(entry.error));
        if (logsErrors) writeUrgently(() => print(line));
      } else if (!logsRequests) return;
      else
        write(
          format === 'text' ? formatReadableRequest(entry) : formatRequestLine(formatHead(30), entry, traits),
        );
    },
    info: (message, details = {}) => logger.info(details, message),
    warn: (message) => logger.warn(message),
    error: (message, thrown) =>
      writeUrgently(() =>
        logger.error(thrown === undefined ? {} : { error: describeError(thrown) }, message),
      ),
    flush: async () => output?.flush(),
    get isStuck() {
      return output?.isStuck ?? false;
    },
  };
}

let lastTime = 0;
let lastTimeText = '';

/** The current time in RFC 3339 format. Lines of the same millisecond share one string. */
function timeNow(): string {
  const now = Date.now();
  if (now !== lastTime) lastTimeText = new Date(now).toISOString();
  lastTime = now;
  return lastTimeText;
}

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
