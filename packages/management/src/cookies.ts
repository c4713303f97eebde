import { isIP } from 'node:net';
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
export type CookieName = 'session' | 'form' | 'said' | 'language';

/** The zone of the browser, as its script wrote it. */
export const ZONE_COOKIE = 'pinfold_zone';

/** The screen's own addresses have no more folders, with and without a slash at their end. */
const MOST_PATHS = 8;

/** Every other value under a cookie's name: without the prefix a sibling may have planted another before ours. */
export function readCookies(request: Request, scope: CookieScope, name: CookieName): readonly string[] {
  return valuesOf(request, nameOf(scope, name));
}

/** The time zone the browser is in, if it said so and there is such a zone. */
export function readZone(request: Request): string | undefined {
  const [zone] = valuesOf(request, ZONE_COOKIE);
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
  const parts = [
    `${nameOf(scope, name)}=${value}`,
    `Path=${scope.secure ? '/' : scope.path}`,
    ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]),
    'HttpOnly',
    'SameSite=Strict',
    ...(scope.secure ? ['Secure'] : []),
  ];
  response.append('Set-Cookie', parts.join('; '));
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
  for (const path of pathsAbove(request.baseUrl + request.path)) {
    for (const domain of domainsAbove(scope.host)) {
      response.append('Set-Cookie', `${nameOf(scope, name)}=; Path=${path}; Domain=${domain}; Max-Age=0`);
    }
  }
}

/** The paths for which a browser sends a cookie to an address (RFC 6265, section 5.1.4), the shortest first. */
function pathsAbove(address: string): readonly string[] {
  const paths = ['/'];
  for (const [index, character] of [...address].entries()) {
    if (index === 0 || character !== '/') continue;
    paths.push(address.slice(0, index), address.slice(0, index + 1));
  }
  const all = new Set([...paths, address]);
  return [...all].filter((path) => /^[\w/.~-]+$/.test(path)).slice(0, MOST_PATHS);
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

function valuesOf(request: Request, name: string): readonly string[] {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const own = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  return [...new Set(own)];
}
