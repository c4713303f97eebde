const TAG = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Whether If-None-Match names the tag, weakly compared (RFC 9110, section 13.1.2). */
export function matchesWeakly(header: string, tag: string): boolean {
  if (header === tag || header.trim() === '*') return true;
  if (!header.includes(tag)) return false;
  for (const [, , opaque] of header.matchAll(TAG)) if (opaque === tag) return true;
  return false;
}

/** Whether If-Match names one of the tags, strongly compared (RFC 9110, section 13.1.1). */
export function matchesStrongly(header: string, tags: readonly string[]): boolean {
  if (header.trim() === '*') return true;
  for (const [, weak, opaque] of header.matchAll(TAG)) {
    if (weak === undefined && opaque !== undefined && tags.includes(opaque)) return true;
  }
  return false;
}
