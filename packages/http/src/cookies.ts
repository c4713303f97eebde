import type { IncomingMessage } from 'node:http';

/** The maximum number of bytes of cookies that a request may have: twenty times as much as ours. */
const MAX_BYTES = 12_288;

/** Whether all cookies together are too large. A sibling host can set many; proxies would refuse them without advice. */
export function hasTooManyCookies({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.cookie !== undefined && headers.cookie.length > MAX_BYTES;
}

/** Returns all values of a name in a Cookie header (RFC 6265, section 5.4): a sibling host may have set another one. */
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
  /** `Lax`: browsers omit it from subrequests of other sites; `Strict`: also when another site links here. */
  readonly sameSite: 'Lax' | 'Strict';
}

/** Returns a Set-Cookie value, HttpOnly. Without `seconds` the cookie lasts until the browser closes; 0 deletes it. */
export function setCookie(
  { name, path, secure, sameSite }: CookieScope,
  value: string,
  seconds?: number,
): string {
  const age = seconds === undefined ? '' : `; Max-Age=${seconds}`;
  return `${name}=${value}; Path=${path}${age}; HttpOnly${secure ? '; Secure' : ''}; SameSite=${sameSite}`;
}
