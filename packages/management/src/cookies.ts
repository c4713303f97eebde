import type { Request, Response } from 'express';

/** How the screen's cookies are written. */
export interface CookieScope {
  /** Over https they carry the prefix `__Host-`, which no sibling host can plant. */
  readonly secure: boolean;
  /** Where the screen is mounted. */
  readonly path: string;
}

/** Names of the screen's cookies. `zone` and `language` are no secrets and never trusted. */
export type CookieName = 'session' | 'form' | 'said' | 'language';

/** The zone of the browser, as its script wrote it. */
export const ZONE_COOKIE = 'pinfold_zone';

const MOST_LOOKED_AT = 5;

/** Every value under a cookie's name: without the prefix a sibling may have planted another before ours. */
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

function nameOf({ secure }: CookieScope, name: CookieName): string {
  return `${secure ? '__Host-' : ''}pinfold_${name}`;
}

function valuesOf(request: Request, name: string): readonly string[] {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const own = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  return own.slice(0, MOST_LOOKED_AT);
}
