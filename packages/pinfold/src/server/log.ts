import { isFault } from '@pinfold/core';
import type { RequestLog } from '@pinfold/http';
import { destination, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from '../settings/settings.ts';

/** The server's log: JSON lines on standard output. */
export interface Log {
  readonly request: RequestLog;
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
  /** Writes out what is still held back. */
  flush(): void;
}

/** Where lines go; standard output when absent. */
export type LogSink = (line: string) => void;

/** What one write to a pipe may have without others coming in between (POSIX, PIPE_BUF): so lines stay whole. */
const SHARED_BYTES = 4_096;

/**
 * Opens the log. Lines are written in batches, off the path of the answers.
 *
 * @param shared whether other processes write to the same output.
 */
export function openLog(level: LogLevel, sink?: LogSink, shared: boolean = false): Log {
  const options: LoggerOptions = { level, base: null, timestamp: stdTimeFunctions.isoTime };
  const stream = destination({ dest: 1, sync: false, ...(shared ? { maxWrite: SHARED_BYTES } : {}) });
  const logger = sink === undefined ? pino(options, stream) : pino(options, { write: sink });
  // Whoever read the output has gone: that must not end the server.
  stream.on('error', () => undefined);
  return {
    request: ({ method, route, role, status, milliseconds, requestId, error }) => {
      const entry = {
        method,
        route,
        role,
        status,
        ms: Math.round(milliseconds * 10) / 10,
        request: requestId,
      };
      if (error !== undefined) logger.error({ ...entry, error: describe(error) }, 'request');
      else logger.info(entry, 'request');
    },
    info: (message, details = {}) => logger.info(details, message),
    warn: (message) => logger.warn(message),
    error: (message, error) => logger.error(error === undefined ? {} : { error: describe(error) }, message),
    flush: () => {
      if (sink === undefined) stream.flushSync();
    },
  };
}

/** What an operator needs of an error. Only its name, message, code and stack: other members may hold anything. */
export interface DescribedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

const DEEPEST_CAUSE = 5;

function describe(error: unknown, depth: number = DEEPEST_CAUSE): DescribedError {
  if (!(error instanceof Error)) return { name: typeof error, message: 'thrown without being an error' };
  const { name, message, cause, stack } = error;
  return {
    name,
    message,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    // The stack of a fault says nothing that its code does not.
    ...(stack !== undefined && !isFault(error) ? { stack } : {}),
    ...(cause !== undefined && depth > 0 ? { cause: describe(cause, depth - 1) } : {}),
  };
}
