import type { RequestEntry } from '@pinfold/http';
import { escapeControls, escapeControlsInLines } from '../command-line/terminal.ts';
import type { DescribedError } from './log.ts';

/** The words for log levels, by number; others have none. */
const LEVEL_WORDS: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'error: ' };

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly error?: DescribedError;
  readonly [member: string]: unknown;
}

/** Formats a JSON log line for a person: time, message and details, without node and version. */
export function formatLine(json: string): string {
  const { level, time: _, node: __, version: ___, msg, error, ...details }: LogLine = JSON.parse(json);
  const members = Object.entries(details).map(([name, value]) => ` ${name}=${formatValue(value)}`);
  const line = `${clockTime()} ${LEVEL_WORDS[level] ?? ''}${escapeControls(msg + members.join(''))}\n`;
  return error === undefined ? line : line + formatError(error);
}

export function formatRequest({
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
