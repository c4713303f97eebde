import { isFault } from '@pinfold/core';
import { isError } from '@pinfold/core/internal';
import type { RequestEntry } from '@pinfold/http';
import { type LoggerOptions, pino } from 'pino';
import type { LogFormat, LogLevel } from '../settings/settings.ts';
import { fittingLine } from './fitting-line.ts';
import { LogOutput } from './log-output.ts';
import { readableLine, readableRequest } from './readable-line.ts';
import { requestLine } from './request-line.ts';

/** The server's log: JSON lines on standard output, or readable ones on a terminal. */
export interface Log {
  request(entry: RequestEntry, traits: RequestTraits): void;
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
  /** Writes what is still held in memory, for a second at most; call it at the end. */
  flush(): Promise<void>;
  /** Whether a write was still under way after that second: `process.exit` would wait for it, however long. */
  readonly isStuck: boolean;
}

export interface RequestTraits {
  /** Bytes of the answer, its head among them. */
  readonly bytes: number;
  /** The trace that the request is a part of. */
  readonly trace?: string | undefined;
  /** The client's address, where the settings want it. */
  readonly client?: string | undefined;
}

/** Receives the lines. Default: standard output. */
export type LogSink = (line: string) => void;

export interface LogOptions {
  /** Members of every line; without it lines do not say which node wrote them. */
  readonly names?: { readonly node: string; readonly version: string };
  /** Whether other processes write to the same output: lines of errors are then shortened to what stays whole. */
  readonly shared?: boolean;
  /** `json` when absent. */
  readonly format?: LogFormat;
}

/** Opens the log. Lines are written in batches, off the path of the answers; errors at once. */
export function openLog(
  level: LogLevel,
  sink?: LogSink,
  { names, shared = false, format = 'json' }: LogOptions = {},
): Log {
  const lose = (lines: number): void => logger.warn({ lines }, 'lines of the log were lost: nobody read it');
  const output = sink === undefined ? new LogOutput(shared, lose) : undefined;
  let isUrgent = false;
  const write = sink ?? ((line: string) => output?.write(line, isUrgent));
  const base = names === undefined ? null : { ...names };
  const timestamp = (): string => `,"time":"${timeNow()}"`;
  const options: LoggerOptions = { level, base, timestamp };
  const print = (line: string): void => {
    const fitting = shared && isUrgent ? fittingLine(line) : line;
    write(format === 'json' ? fitting : readableLine(fitting));
  };
  const logger = pino(options, { write: print });
  const urgently = (writeLine: () => void): void => {
    isUrgent = true;
    writeLine();
    isUrgent = false;
  };
  const namesText = names === undefined ? '' : `${JSON.stringify(names).slice(1, -1)},`;
  const headOf = (level: number): string => `{"level":${level},"time":"${timeNow()}",${namesText}`;
  const logsRequests = logger.isLevelEnabled('info');
  const logsErrors = logger.isLevelEnabled('error');
  return {
    request: (entry, traits) => {
      if (entry.error !== undefined) {
        const line = requestLine(headOf(50), entry, traits, describe(entry.error));
        if (logsErrors) urgently(() => print(line));
      } else if (!logsRequests) return;
      else write(format === 'text' ? readableRequest(entry) : requestLine(headOf(30), entry, traits));
    },
    info: (message, details = {}) => logger.info(details, message),
    warn: (message) => logger.warn(message),
    error: (message, thrown) =>
      urgently(() => logger.error(thrown === undefined ? {} : { error: describe(thrown) }, message)),
    flush: async () => output?.flush(),
    get isStuck() {
      return output?.isStuck ?? false;
    },
  };
}

let lastTime = 0;
let lastTimeText = '';

/** The time as RFC 3339 has it, in milliseconds. Lines of the same millisecond share one text. */
function timeNow(): string {
  const now = Date.now();
  if (now !== lastTime) lastTimeText = new Date(now).toISOString();
  lastTime = now;
  return lastTimeText;
}

/** An error in the log: only its name, message, code and stack, since other members may contain secrets. */
export interface DescribedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

const DEEPEST_CAUSE = 5;

function describe(error: unknown, depth: number = DEEPEST_CAUSE): DescribedError {
  if (!isError(error)) return { name: typeof error, message: 'thrown without being an error' };
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
