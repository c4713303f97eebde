import { prefersGzip } from '@pinfold/http/internal';
import mime from 'mime';

/** Clients send few different headers, and short ones. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 256;
const MAX_KNOWN_LENGTH = 128;

/** Whether gzip suits the client at least as well as no coding (RFC 9110, section 12.5.3). */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  let accepts = known.get(header);
  if (accepts === undefined) {
    accepts = prefersGzip(header);
    if (known.size >= MAX_KNOWN) known.clear();
    if (header.length <= MAX_KNOWN_LENGTH) known.set(header, accepts);
  }
  return accepts;
}

const TEXT_TYPE = /^text\/|^application\/(?:json|xml|javascript)$|\+(?:json|xml)$/;

/**
 * The media type of a file by its name, with a charset for text that is proved to be UTF-8. Other text names its own
 * encoding, or has none.
 */
export function mediaTypeOf(path: string, utf8: boolean): string {
  // With a folder before it, a name without a dot is not taken for an extension.
  const type = mime.getType(`/${path}`) ?? 'application/octet-stream';
  return utf8 && TEXT_TYPE.test(type) ? `${type}; charset=utf-8` : type;
}

/** The range of a body that a Range header requests. Positions are inclusive. */
export type ByteRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' };

const SINGLE = /^\s*bytes\s*=[\s,]*(\d*)-(\d*)[\s,]*$/i;
const WHOLE: ByteRange = { kind: 'whole' };
const UNSATISFIABLE: ByteRange = { kind: 'unsatisfiable' };

/**
 * Reads a Range header (RFC 9110, section 14.2). One range is served; several, another unit and what cannot be read
 * are answered with the whole, as the standard permits; so is every range of an empty file.
 *
 * @param size bytes of the whole.
 */
export function rangeOf(header: string, size: number): ByteRange {
  const [matched, from = '', to = ''] = SINGLE.exec(header) ?? [];
  if (size === 0 || matched === undefined || (from === '' && to === '')) return WHOLE;
  if (from === '') return suffix(Number(to), size);
  const first = Number(from);
  const last = to === '' ? Number.POSITIVE_INFINITY : Number(to);
  if (last < first) return WHOLE;
  if (first >= size) return UNSATISFIABLE;
  return { kind: 'part', first, last: Math.min(last, size - 1) };
}

function suffix(length: number, size: number): ByteRange {
  if (length === 0) return UNSATISFIABLE;
  return { kind: 'part', first: Math.max(0, size - length), last: size - 1 };
}
