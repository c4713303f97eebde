import { isFault } from '@pinfold/core';
import type { RequestEntry } from '@pinfold/http';
import { type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from '../settings/settings.ts';
import { LogOutput } from './log-output.ts';

/** The server's log: JSON lines on standard output. */
export interface Log {
  /** Writes the line of an answered request. */
  request(entry: RequestEntry, traits: RequestTraits): void;
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
  /** Writes out what is still held back, as far as somebody takes it within a second; to be called at the end. */
  flush(): Promise<void>;
  /** Whether a write has not come back in that second: `process.exit` would wait for it, however long. */
  readonly isStuck: boolean;
}

/** What a request's line says beside its entry. */
export interface RequestTraits {
  /** Bytes of the answer, its head among them. */
  readonly bytes: number;
  /** The trace that the request is a part of. */
  readonly trace?: string;
  /** The client's address, where the settings want it. */
  readonly client?: string;
}

/** Where lines go; standard output when absent. */
export type LogSink = (line: string) => void;

/** What every line says of who writes it. */
export interface LogNames {
  readonly node: string;
  readonly version: string;
}

/** How the log is opened, where it is not as usual. */
export interface LogOptions {
  /** Absent, lines do not say who writes them. */
  readonly names?: LogNames;
  /** Whether other processes write to the same output. */
  readonly shared?: boolean;
}

/** Opens the log. Lines are written in batches, off the path of the answers. */
export function openLog(level: LogLevel, sink?: LogSink, { names, shared = false }: LogOptions = {}): Log {
  const base = names === undefined ? null : { ...names };
  const options: LoggerOptions = { level, base, timestamp: stdTimeFunctions.isoTime };
  const lose = (lines: number): void => logger.warn({ lines }, 'lines of the log were lost: nobody read it');
  const output = sink === undefined ? new LogOutput(shared, lose) : undefined;
  const logger = pino(options, { write: sink ?? ((line) => output?.write(line)) });
  return {
    request: (entry, traits) => {
      const { error } = entry;
      const fields = fieldsOf(entry, traits);
      if (error !== undefined) logger.error({ ...fields, error: describe(error) }, 'request');
      else logger.info(fields, 'request');
    },
    info: (message, details = {}) => logger.info(details, message),
    warn: (message) => logger.warn(message),
    error: (message, error) => logger.error(error === undefined ? {} : { error: describe(error) }, message),
    flush: async () => output?.flush(),
    get isStuck() {
      return output?.isStuck ?? false;
    },
  };
}

function fieldsOf(
  { method, route, role, account, key, status, outcome, milliseconds, requestId }: RequestEntry,
  { bytes, trace, client }: RequestTraits,
): Readonly<Record<string, unknown>> {
  return {
    method,
    route,
    status,
    role,
    account: account ?? null,
    key: key ?? null,
    outcome: outcome ?? (status < 400 ? 'ok' : 'refused'),
    bytes,
    ms: Math.round(milliseconds * 10) / 10,
    request: requestId,
    ...(trace === undefined ? {} : { trace }),
    ...(client === undefined ? {} : { client }),
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
