/** What a Range header asks of a body. Positions are inclusive. */
export type ByteRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' };

const SINGLE = /^\s*bytes\s*=[\s,]*(\d*)-(\d*)[\s,]*$/i;
const WHOLE: ByteRange = { kind: 'whole' };
const UNSATISFIABLE: ByteRange = { kind: 'unsatisfiable' };

/**
 * Reads a Range header (RFC 9110, section 14.2). One range is served; several, another unit and what cannot be read
 * are answered with the whole, as the standard permits.
 *
 * @param size bytes of the whole.
 */
export function rangeOf(header: string, size: number): ByteRange {
  const [matched, from = '', to = ''] = SINGLE.exec(header) ?? [];
  if (matched === undefined || (from === '' && to === '')) return WHOLE;
  if (from === '') return suffix(Number(to), size);
  const first = Number(from);
  const last = to === '' ? Number.POSITIVE_INFINITY : Number(to);
  if (last < first) return WHOLE;
  if (first >= size) return UNSATISFIABLE;
  return { kind: 'part', first, last: Math.min(last, size - 1) };
}

function suffix(length: number, size: number): ByteRange {
  if (length === 0) return UNSATISFIABLE;
  // Of an empty body the last bytes are the whole, which no Content-Range can say.
  if (size === 0) return WHOLE;
  return { kind: 'part', first: Math.max(0, size - length), last: size - 1 };
}
