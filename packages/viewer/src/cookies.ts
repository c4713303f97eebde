/** Every value that a Cookie header has under a name (RFC 6265, section 5.4): a sibling may have planted more than one. */
export function cookieValues(header: string | undefined, name: string): string[] {
  const values: string[] = [];
  if (header === undefined) return values;
  let from = 0;
  while (from < header.length) {
    let end = header.indexOf(';', from);
    if (end === -1) end = header.length;
    const equals = header.indexOf('=', from);
    if (equals !== -1 && equals < end && header.slice(from, equals).trim() === name) {
      values.push(header.slice(equals + 1, end).trim());
    }
    from = end + 1;
  }
  return values;
}

/** What a cookie of ours is written with. */
export interface CookieScope {
  readonly name: string;
  readonly path: string;
  readonly secure: boolean;
}

/** A Set-Cookie line that no script reads and that other sites' subrequests do not carry; 0 seconds removes it. */
export function setCookie({ name, path, secure }: CookieScope, value: string, seconds: number): string {
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly${secure ? '; Secure' : ''}; SameSite=Lax`;
}
