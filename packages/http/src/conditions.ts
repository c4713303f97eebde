import type { IncomingMessage } from 'node:http';
import { type ByteRange, matchesStrongly, matchesWeakly, rangeOf } from './negotiation.ts';

type Asked = Pick<IncomingMessage, 'headers'>;

/**
 * The status where a precondition fails (RFC 9110, section 13.2.2); `undefined` where none does.
 *
 * @param tags those of every form of the answer; that of the chosen one when absent.
 */
export function failedPrecondition(
  { headers }: Asked,
  etag: string,
  tags: () => readonly string[] = () => [etag],
): 304 | 412 | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, [...tags()])) return 412;
  return ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, etag) ? 304 : undefined;
}

/** The range to answer with: an empty one if no byte satisfies it, and `undefined` for the whole. */
export function requestedRange(
  { headers, method }: Asked & Pick<IncomingMessage, 'method'>,
  etag: string,
  size: number,
): ByteRange | undefined {
  if (headers.range === undefined || method !== 'GET') return undefined;
  // Nothing here has a date, so If-Range holds for the very tag only (RFC 9110, section 13.1.5).
  const { 'if-range': condition = etag } = headers;
  return condition === etag ? rangeOf(headers.range, size) : undefined;
}
