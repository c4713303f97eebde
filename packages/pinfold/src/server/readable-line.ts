import type { RequestEntry } from '@pinfold/http';
import { escapeControls, escapeControlsInLines } from '../command-line/terminal.ts';
import type { DescribedError } from './log.ts';

/** The levels that deserve a word, by their numbers. */
const WORDS: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'error: ' };

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly error?: DescribedError;
  readonly [member: string]: unknown;
}

/** A JSON line of the log as a person reads it at a terminal: time, message and details, without node and version. */
export function readableLine(json: string): string {
  const { level, time: _, node: __, version: ___, msg, error, ...details }: LogLine = JSON.parse(json);
  const members = Object.entries(details).map(([name, value]) => ` ${name}=${valueText(value)}`);
  const line = `${clockTime()} ${WORDS[level] ?? ''}${escapeControls(msg + members.join(''))}\n`;
  return error === undefined ? line : line + errorText(error);
}

export function readableRequest({
  method,
  route,
  status,
  outcome,
  reason,
  milliseconds,
  role,
}: RequestEntry): string {
  const about = role === null ? '' : ` ${role}`;
  const why =
    (outcome === undefined ? '' : ` ${outcome}`) +
    (reason === undefined ? '' : ` (${escapeControls(reason)})`);
  return `${clockTime()} ${escapeControls(method)} ${route}${about} ${status}${why} ${Math.round(milliseconds)} ms\n`;
}

function clockTime(): string {
  return new Date().toTimeString().slice(0, 8);
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function errorText({ name, message, code, stack, cause }: DescribedError): string {
  const heading = code === undefined ? `${name}: ${message}` : `${name} (${code}): ${message}`;
  const reason = cause === undefined ? '' : `  caused by ${errorText(cause).trimStart()}`;
  return `  ${escapeControlsInLines(stack ?? heading)}\n${reason}`;
}
