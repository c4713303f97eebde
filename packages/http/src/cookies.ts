import type { IncomingMessage } from 'node:http';

/** The most bytes of cookies that are taken: what browsers keep of ours has a twentieth of it. */
const MAX_BYTES = 12_288;

/** Whether cookies are too large together: a sibling host can fill a jar, and proxies would refuse without advice. */
export function hasTooManyCookies({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.cookie !== undefined && headers.cookie.length > MAX_BYTES;
}

/** Every value of a name in a Cookie header (RFC 6265, section 5.4): a sibling host may have planted more than one. */
export function cookieValues(header: string | undefined, name: string): readonly string[] {
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

export interface CookieScope {
  readonly name: string;
  readonly path: string;
  readonly secure: boolean;
  /** `Lax`: subrequests of other sites do not carry it; `Strict`: nor do links that lead here. */
  readonly sameSite: 'Lax' | 'Strict';
}

/** A Set-Cookie line that no script reads; without `seconds` it lasts until the browser closes, 0 deletes the cookie. */
export function setCookie(
  { name, path, secure, sameSite }: CookieScope,
  value: string,
  seconds?: number,
): string {
  const age = seconds === undefined ? '' : `; Max-Age=${seconds}`;
  return `${name}=${value}; Path=${path}${age}; HttpOnly${secure ? '; Secure' : ''}; SameSite=${sameSite}`;
}
