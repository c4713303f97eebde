import { isFault } from '@pinfold/core';
import { isError } from '@pinfold/core/internal';
import type { RequestEntry } from '@pinfold/http';
import { escapeControls, escapeControlsInLines } from '../command-line/terminal.ts';

export interface RequestTraits {
  /** Bytes of the answer, with its head. */
  readonly bytes: number;
  /** The id of the trace to which the request belongs. */
  readonly trace?: string | undefined;
  /** The client's address, if the settings enable it. */
  readonly client?: string | undefined;
}

/** Formats the log line of a request; without JSON.stringify, because this runs on every view. */
export function formatRequestLine(
  head: string,
  entry: RequestEntry,
  { bytes, trace, client }: RequestTraits,
  error?: DescribedError,
): string {
  const { milliseconds, requestId } = entry;
  // Formatting a fraction takes much longer than formatting whole numbers.
  const tenths = Math.round(milliseconds * 10);
  const ms = tenths % 10 === 0 ? tenths / 10 : `${Math.trunc(tenths / 10)}.${tenths % 10}`;
  return (
    `${head}${formatBeginning(entry)},"bytes":${bytes},"ms":${ms},"request":${quote(requestId)}` +
    (entry.reason === undefined ? '' : `,"reason":${quote(entry.reason)}`) +
    (error === undefined ? '' : `,"error":${JSON.stringify(error)}`) +
    (trace === undefined ? '' : `,"trace":${quote(trace)}`) +
    (client === undefined ? '' : `,"client":${quote(client)}`) +
    ',"msg":"request"}\n'
  );
}

/** The maximum number of roles whose line beginning is cached. */
const MAX_BEGINNINGS = 1_000;

/** The beginning of the last line by role: further views of a role usually differ only in bytes, time and id. */
const beginnings = new Map<string, Beginning>();

/**
 * Has only the members that it needs: caching the entry would keep its error, and all that it references, in memory.
 */
type Beginning = {
  readonly [Name in 'method' | 'route' | 'status' | 'account' | 'key' | 'outcome']:
    | RequestEntry[Name]
    | undefined;
} & { readonly text: string };

function formatBeginning(entry: RequestEntry): string {
  const { method, route, role, account, key, status, outcome } = entry;
  const known = role === null ? undefined : beginnings.get(role);
  const isSame =
    known?.status === status &&
    known.method === method &&
    known.route === route &&
    known.outcome === outcome &&
    known.account === account &&
    known.key === key;
  if (isSame) return known.text;
  const result = outcome ?? (status < 400 ? 'ok' : 'refused');
  const beginning =
    `"method":${quote(method)},"route":${quote(route)},"status":${status},"role":${quote(role)}` +
    `,"account":${quote(account)},"key":${quote(key)},"outcome":${quote(result)}`;
  if (role !== null) {
    if (beginnings.size >= MAX_BEGINNINGS) beginnings.clear();
    beginnings.set(role, { method, route, status, account, key, outcome, text: beginning });
  }
  return beginning;
}

/** Characters that JSON must escape, and those outside ASCII. */
const NEEDS_ESCAPE = /[^ !#-[\]-~]/;

function quote(value: string | null | undefined): string {
  if (value === null || value === undefined) return 'null';
  return NEEDS_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
}

/** An error in the log: only its name, message, code and stack, since other members may contain secrets. */
interface DescribedError {
  readonly name: string;
  message: string;
  readonly code?: string;
  stack?: string;
  readonly cause?: DescribedError;
}

const DEEPEST_CAUSE = 5;

export function describeError(error: unknown, depth: number = DEEPEST_CAUSE): DescribedError {
  if (!isError(error)) return { name: typeof error, message: 'a value that is not an error was thrown' };
  const { name, message, cause, stack } = error;
  return {
    name,
    message,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    // The code of a fault identifies its place, so it needs no stack.
    ...(stack !== undefined && !isFault(error) ? { stack } : {}),
    ...(cause !== undefined && depth > 0 ? { cause: describeError(cause, depth - 1) } : {}),
  };
}

const SHORT_MESSAGE = 80;

/** Shortens the log line of an error to `maxBytes`: first drops stacks, deepest causes first, then cuts messages. */
export function shortenLine(line: string, maxBytes: number): string {
  if (Buffer.byteLength(line) <= maxBytes) return line;
  const entry: { readonly error?: DescribedError } = JSON.parse(line);
  const errors = listCauses(entry.error).reverse();
  let shorter = line;
  for (const shorten of [dropStack, cutMessage]) {
    for (const error of errors) {
      shorten(error);
      shorter = `${JSON.stringify(entry)}\n`;
      if (Buffer.byteLength(shorter) <= maxBytes) return shorter;
    }
  }
  return shorter;
}

function listCauses(error: DescribedError | undefined): DescribedError[] {
  return error === undefined ? [] : [error, ...listCauses(error.cause)];
}

function dropStack(error: DescribedError): void {
  delete error.stack;
}

function cutMessage(error: DescribedError): void {
  error.message = error.message.slice(0, SHORT_MESSAGE);
}

/** The words for log levels, by number; others have none. */
const LEVEL_WORDS: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'error: ' };

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly error?: DescribedError;
  readonly [member: string]: unknown;
}

/** Formats a JSON log line for a person: time, message and details, without node and version. */
export function formatReadableLine(json: string): string {
  const { level, time: _, node: __, version: ___, msg, error, ...details }: LogLine = JSON.parse(json);
  const members = Object.entries(details).map(([name, value]) => ` ${name}=${formatValue(value)}`);
  const line = `${clockTime()} ${LEVEL_WORDS[level] ?? ''}${escapeControls(msg + members.join(''))}\n`;
  return error === undefined ? line : line + formatError(error);
}

export function formatReadableRequest({
  method,
  route,
  status,
  outcome,
  reason,
  milliseconds,
  role,
}: RequestEntry): string {
  const roleText = role === null ? '' : ` ${role}`;
  const outcomeText =
    (outcome === undefined ? '' : ` ${outcome}`) +
    (reason === undefined ? '' : ` (${escapeControls(reason)})`);
  return `${clockTime()} ${escapeControls(method)} ${route}${roleText} ${status}${outcomeText} ${Math.round(milliseconds)} ms\n`;
}

function clockTime(): string {
  return new Date().toTimeString().slice(0, 8);
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function formatError({ name, message, code, stack, cause }: DescribedError): string {
  const heading = code === undefined ? `${name}: ${message}` : `${name} (${code}): ${message}`;
  const reason = cause === undefined ? '' : `  caused by ${formatError(cause).trimStart()}`;
  return `  ${escapeControlsInLines(stack ?? heading)}\n${reason}`;
}
