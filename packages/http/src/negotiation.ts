import type { IncomingMessage } from 'node:http';

/** One member of a header like `Accept-Language`: in lower case, with its weight. */
interface Weighted {
  readonly value: string;
  /** 0 to 1, where 0 means "not this". */
  readonly weight: number;
}

/** A longer header counts as absent: no client sends one, and reading 64 KiB would take milliseconds. */
const MAX_LENGTH = 1_024;

const WEIGHT = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i;

/** Reads a list with quality values (RFC 9110, section 12.4.2). An invalid weight counts as 0. */
export function parseWeighted(header: string): readonly Weighted[] {
  const members: Weighted[] = [];
  if (header.length > MAX_LENGTH) return members;
  for (const part of header.split(',')) {
    const [value = '', ...parameters] = part.split(';');
    const name = value.trim().toLowerCase();
    if (name !== '') members.push({ value: name, weight: weightOf(parameters) });
  }
  return members;
}

function weightOf(parameters: readonly string[]): number {
  const quality = parameters.find((parameter) => /^\s*q\s*=/i.test(parameter));
  if (quality === undefined) return 1;
  const weight = Number(WEIGHT.exec(quality)?.[1] ?? 0);
  return weight <= 1 ? weight : 0;
}

/** Chooses a language by the first part of its tag (RFC 9110, section 12.5.4). The first one offered is the default. */
export function preferredLanguage<Language extends string>(
  acceptLanguage: string | undefined,
  offered: readonly [Language, ...Language[]],
): Language {
  let best: Language = offered[0];
  let bestWeight = 0;
  for (const { value, weight } of parseWeighted(acceptLanguage ?? '')) {
    const primary = value.split('-', 1)[0];
    const language = primary === '*' ? offered[0] : offered.find((one) => one === primary);
    if (language === undefined || weight <= bestWeight) continue;
    best = language;
    bestWeight = weight;
  }
  return best;
}

/** A cache of results by `Accept-Encoding`: clients send few different headers, and short ones. */
const cachedPreferences = new Map<string, boolean>();
const MAX_CACHED = 256;
const MAX_CACHED_LENGTH = 128;

/** Whether gzip suits the client at least as well as no coding (RFC 9110, section 12.5.3). */
export function prefersGzip(acceptEncoding: string = ''): boolean {
  let prefers = cachedPreferences.get(acceptEncoding);
  if (prefers === undefined) {
    prefers = parseGzipPreference(acceptEncoding);
    if (cachedPreferences.size >= MAX_CACHED) cachedPreferences.clear();
    if (acceptEncoding.length <= MAX_CACHED_LENGTH) cachedPreferences.set(acceptEncoding, prefers);
  }
  return prefers;
}

function parseGzipPreference(acceptEncoding: string): boolean {
  const codings = parseWeighted(acceptEncoding);
  const weightOf = (...names: string[]): number | undefined =>
    codings.find(({ value }) => names.includes(value))?.weight;
  const gzip = weightOf('gzip', 'x-gzip') ?? weightOf('*') ?? 0;
  return gzip > 0 && gzip >= (weightOf('identity') ?? 0);
}

/** Whether If-None-Match names the tag, weakly compared (RFC 9110, section 13.1.2). */
export function matchesWeakly(header: string, tag: string): boolean {
  return header === tag || header.trim() === '*' || hasTag(header, (listed) => listed === tag);
}

/** Whether If-Match names one of the tags, strongly compared (RFC 9110, section 13.1.1). */
export function matchesStrongly(header: string, tags: readonly string[]): boolean {
  return (
    header.trim() === '*' || hasTag(header, (tag, before) => !before.endsWith('W/') && tags.includes(tag))
  );
}

/** Searches the tags of a header. Splits it, which takes a tenth of the time of a pattern for 64 KiB of tags. */
function hasTag(header: string, matches: (tag: string, before: string) => boolean): boolean {
  const texts = header.split('"');
  // The last text is outside of quotation marks, or its tag is unfinished.
  return texts.some(
    (text, at) => at % 2 === 1 && at + 1 < texts.length && matches(`"${text}"`, texts[at - 1] ?? ''),
  );
}

/** Bytes `from` to `to` of a body. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

const SINGLE = /^\s*bytes\s*=[\s,]*(\d*)-(\d*)[\s,]*$/i;

/**
 * Parses a Range header (RFC 9110, section 14.2). Serves a single range. For several ranges, another unit, an unreadable
 * header or an empty file, serves the whole, as the standard permits.
 *
 * @param size bytes of the whole.
 * @returns an empty range if no byte satisfies the header, `undefined` for the whole.
 */
export function parseRange(header: string, size: number): ByteRange | undefined {
  const [matched, first = '', last = ''] = SINGLE.exec(header) ?? [];
  if (size === 0 || matched === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return { from: Math.max(0, size - Number(last)), to: size };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  const end = last === '' ? size : Number(last) + 1;
  return { from: Math.min(Number(first), size), to: Math.min(end, size) };
}

type RequestHeaders = Pick<IncomingMessage, 'headers'>;

/**
 * Returns the status if a precondition fails (RFC 9110, section 13.2.2), else `undefined`.
 *
 * @param tags returns the tags of all forms of the answer. Default: only `etag`.
 */
export function checkPreconditions(
  { headers }: RequestHeaders,
  etag: string,
  tags: () => readonly string[] = () => [etag],
): 304 | 412 | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, tags())) return 412;
  return ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, etag) ? 304 : undefined;
}

/** Returns the range to answer with: an empty one if no byte satisfies it, `undefined` for the whole. */
export function requestedRange(
  { headers, method }: RequestHeaders & Pick<IncomingMessage, 'method'>,
  etag: string,
  size: number,
): ByteRange | undefined {
  if (headers.range === undefined || method !== 'GET') return undefined;
  // Answers have no date, so If-Range matches only the exact tag (RFC 9110, section 13.1.5).
  const { 'if-range': condition = etag } = headers;
  return condition === etag ? parseRange(headers.range, size) : undefined;
}
