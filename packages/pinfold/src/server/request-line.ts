import type { RequestEntry } from '@pinfold/http';
import type { DescribedError, RequestTraits } from './log.ts';

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
