import { isIP } from 'node:net';
import { cookieValues, setCookie } from '@pinfold/http';
import type { Request, Response } from 'express';

/** How the screen's cookies are written. */
export interface CookieScope {
  /** Over https they carry the prefix `__Host-`, which no sibling host can plant. */
  readonly secure: boolean;
  /** Where the screen is mounted. */
  readonly path: string;
  /** The host of the public URL, without port. */
  readonly host: string;
}

/** Names of the screen's cookies. `zone` and `language` are no secrets and never trusted. */
export type CookieName = 'session' | 'form' | 'said' | 'language' | 'oidc';

/** The zone of the browser, as its script wrote it. */
export const ZONE_COOKIE = 'pinfold_zone';

/** The screen's own addresses have no more folders, with and without a slash at their end. */
const MOST_PATHS = 8;

/** Nor are they longer. */
const LONGEST_ADDRESS = 256;

/** Every other value under a cookie's name: without the prefix a sibling may have planted another before ours. */
export function readCookies(request: Request, scope: CookieScope, name: CookieName): readonly string[] {
  return [...new Set(cookieValues(request.headers.cookie, nameOf(scope, name)))];
}

/** The time zone the browser is in, if it said so and there is such a zone. */
export function readZone(request: Request): string | undefined {
  const [zone] = cookieValues(request.headers.cookie, ZONE_COOKIE);
  if (zone === undefined || !/^[\w+\-/]{1,64}$/.test(zone)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Sets a cookie until the browser closes, or for some seconds; 0 seconds take it away. */
export function writeCookie(
  response: Response,
  scope: CookieScope,
  name: CookieName,
  value: string,
  seconds?: number,
): void {
  const { secure } = scope;
  const path = secure ? '/' : scope.path;
  // An issuer's page leads back here, and takes no other cookies along.
  const sameSite = name === 'oidc' ? 'Lax' : 'Strict';
  const cookie = { name: nameOf(scope, name), path, secure, sameSite } as const;
  response.append('Set-Cookie', setCookie(cookie, value, seconds));
}

/**
 * Takes a cookie away wherever one that this request brought may be kept. Over https that is one place. Without the
 * prefix, siblings can plant it for each domain above the host and each path above the address.
 */
export function expireEverywhere(
  request: Request,
  response: Response,
  scope: CookieScope,
  name: CookieName,
): void {
  writeCookie(response, scope, name, '', 0);
  if (scope.secure) return;
  for (const path of pathsAbove(request)) {
    for (const domain of domainsAbove(scope.host)) {
      response.append('Set-Cookie', `${nameOf(scope, name)}=; Path=${path}; Domain=${domain}; Max-Age=0`);
    }
  }
}

/**
 * The paths for which a browser sends a cookie to an address (RFC 6265, section 5.1.4), the shortest first. Those of an
 * address that is none of ours are as many as it has slashes: there, only those above the screen.
 */
function pathsAbove({ baseUrl, path }: Request): readonly string[] {
  const address = baseUrl + path;
  const paths = new Set(['/']);
  const ends = address.length > LONGEST_ADDRESS ? [baseUrl.length] : endsOf(address);
  for (const end of ends) {
    const above = address.slice(0, end);
    if (/^[\w/.~-]+$/.test(above)) paths.add(above);
    if (paths.size === MOST_PATHS) break;
  }
  return [...paths];
}

/** Where a path above an address may end: before and behind each slash but the first, and at its own end. */
function* endsOf(address: string): Generator<number> {
  for (let slash = address.indexOf('/', 1); slash !== -1; slash = address.indexOf('/', slash + 1)) {
    yield slash;
    yield slash + 1;
  }
  yield address.length;
}

/** The host, and the domains above it but the last, which nobody can set a cookie for. */
function domainsAbove(host: string): readonly string[] {
  if (isIP(host) !== 0 || host.startsWith('[')) return [];
  const labels = host.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

function nameOf({ secure }: CookieScope, name: CookieName): string {
  return `${secure ? '__Host-' : ''}pinfold_${name}`;
}
