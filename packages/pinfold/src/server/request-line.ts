import type { RequestEntry } from '@pinfold/http';
import type { DescribedError, RequestTraits } from './log.ts';

/** The line of a request, put together by hand since this runs on every view. `head` is level, time and names. */
export function requestLine(
  head: string,
  entry: RequestEntry,
  { bytes, trace, client }: RequestTraits,
  error?: DescribedError,
): string {
  const { milliseconds, requestId } = entry;
  // Whole numbers become text in a fraction of the time.
  const tenths = Math.round(milliseconds * 10);
  const ms = tenths % 10 === 0 ? tenths / 10 : `${Math.trunc(tenths / 10)}.${tenths % 10}`;
  return (
    `${head}${beginningOf(entry)},"bytes":${bytes},"ms":${ms},"request":${text(requestId)}` +
    (entry.reason === undefined ? '' : `,"reason":${text(entry.reason)}`) +
    (error === undefined ? '' : `,"error":${JSON.stringify(error)}`) +
    (trace === undefined ? '' : `,"trace":${text(trace)}`) +
    (client === undefined ? '' : `,"client":${text(client)}`) +
    ',"msg":"request"}\n'
  );
}

/** The most roles whose last line's beginning is cached. */
const MAX_BEGINNINGS = 1_000;

/** By role: the views of one differ in little else than bytes, time and id. */
const beginnings = new Map<string, Beginning>();

/** The members that it is made of, and no other: an error would be held in memory with all that it refers to. */
type Beginning = {
  readonly [Name in 'method' | 'route' | 'status' | 'account' | 'key' | 'outcome']:
    | RequestEntry[Name]
    | undefined;
} & { readonly text: string };

function beginningOf(entry: RequestEntry): string {
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
  const written =
    `"method":${text(method)},"route":${text(route)},"status":${status},"role":${text(role)}` +
    `,"account":${text(account)},"key":${text(key)},"outcome":${text(result)}`;
  if (role !== null) {
    if (beginnings.size >= MAX_BEGINNINGS) beginnings.clear();
    beginnings.set(role, { method, route, status, account, key, outcome, text: written });
  }
  return written;
}

/** Characters that JSON must escape, and those that are not ASCII. */
const UNUSUAL = /[^ !#-[\]-~]/;

function text(value: string | null | undefined): string {
  if (value === null || value === undefined) return 'null';
  return UNUSUAL.test(value) ? JSON.stringify(value) : `"${value}"`;
}
