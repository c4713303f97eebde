import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { AccountId } from '@pinfold/core';
import { cookieValues, setCookie } from '@pinfold/http/internal';
import type { Request, Response } from 'express';
import { timeZoneOf } from '../i18n.ts';

export interface CookieScope {
  /** Over https they carry the prefix `__Host-`, which no sibling host can plant. */
  readonly secure: boolean;
  readonly path: string;
  /** The host of the public URL, without port. */
  readonly host: string;
}

/** Names of the screen's cookies. `language` is never trusted. */
type CookieName = 'session' | 'form' | 'flash' | 'language' | 'oidc';

const ZONE_COOKIE = 'pinfold_zone';

/** The maximum number of paths at which a cookie is expired; addresses of the screen have fewer above them. */
const MAX_PATHS = 8;

/** All addresses of the screen are shorter. */
const MAX_ADDRESS_LENGTH = 256;

/** The different values of a cookie: without the prefix a sibling domain can plant another before ours. */
export function readCookies(request: Request, scope: CookieScope, name: CookieName): readonly string[] {
  return [...new Set(cookieValues(request.headers.cookie, nameOf(scope, name)))];
}

export function readZone(request: Request): string | undefined {
  const [zone] = cookieValues(request.headers.cookie, ZONE_COOKIE);
  return zone !== undefined && /^[\w+\-/]{1,64}$/.test(zone) ? timeZoneOf(zone) : undefined;
}

/** Sets a cookie until the browser closes, or for some seconds; 0 removes it. */
export function writeCookie(
  response: Response,
  scope: CookieScope,
  name: CookieName,
  value: string,
  seconds?: number,
): void {
  const { secure } = scope;
  const path = secure ? '/' : scope.path;
  // Browsers send no strict cookie when the issuer's page leads back here.
  const sameSite = name === 'oidc' ? 'Lax' : 'Strict';
  const cookie = { name: nameOf(scope, name), path, secure, sameSite } as const;
  response.append('Set-Cookie', setCookie(cookie, value, seconds));
}

/** Removes a cookie at every path and domain above, where a sibling domain can plant it without the `__Host-` prefix. */
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
 * Returns the cookie paths that match an address (RFC 6265, section 5.1.4), the shortest first; for a long address, only
 * those above the screen.
 */
function pathsAbove({ baseUrl, path }: Request): readonly string[] {
  const address = baseUrl + path;
  const paths = new Set(['/']);
  // A path ends before or after each slash but the first, or is the address itself.
  const slashes = () => [...address.matchAll(/(?<!^)\//g)].flatMap(({ index }) => [index, index + 1]);
  const ends = address.length > MAX_ADDRESS_LENGTH ? [baseUrl.length] : [...slashes(), address.length];
  for (const end of ends) {
    const above = address.slice(0, end);
    if (/^[\w/.~-]+$/.test(above)) paths.add(above);
    if (paths.size === MAX_PATHS) break;
  }
  return [...paths];
}

/** Returns the host and the domains above it, but not the top-level domain: browsers refuse cookies for it. */
function domainsAbove(host: string): readonly string[] {
  if (isIP(host) !== 0 || host.startsWith('[')) return [];
  const labels = host.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

function nameOf({ secure }: CookieScope, name: CookieName): string {
  return `${secure ? '__Host-' : ''}pinfold_${name}`;
}

export function newFormSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function isFormSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

const TOKEN_BYTES = 32;

/**
 * The token that every form sends, valid in one browser and for one session: forms of an ended session are refused. Each
 * answer masks it anew, so that the lengths of compressed answers reveal nothing about it.
 */
export class FormToken {
  readonly #token: Buffer;
  readonly masked: string;

  constructor(secret: string, sessionBinding: string) {
    this.#token = createHmac('sha256', secret).update(`pinfold form\n${sessionBinding}`).digest();
    const mask = randomBytes(TOKEN_BYTES);
    this.masked = Buffer.concat([mask, xor(mask, this.#token)]).toString('base64url');
  }

  matches(sent: string | undefined): boolean {
    const bytes = Buffer.from(sent ?? '', 'base64url');
    if (bytes.length !== 2 * TOKEN_BYTES) return false;
    const [mask, masked] = [bytes.subarray(0, TOKEN_BYTES), bytes.subarray(TOKEN_BYTES)];
    return timingSafeEqual(xor(mask, masked), this.#token);
  }
}

function xor(left: Uint8Array, right: Uint8Array): Buffer {
  return Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)));
}

/** Returns a pseudonym of the account for this browser: scripts see whether another account has signed in. */
export function ownerMark(secret: string, account: AccountId): string {
  return createHmac('sha256', secret).update(`pinfold owner\n${account}`).digest('base64url');
}

/** Whether another site led here, in which case browsers omit SameSite=Strict cookies. */
export function isFromAnotherSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return (site === 'cross-site' || site === 'same-site') && headers['sec-fetch-mode'] === 'navigate';
}
