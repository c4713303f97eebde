import type { RoleId } from '@pinfold/core';
import { sharedUrl } from '@pinfold/http';
import type { Settings } from '../viewer-options.ts';
import type { SharedPlace } from './route.ts';
import { parametersOf } from './target.ts';

/** The path of a site's origin that accepts hand-overs. No file conflicts with it: paths in archives have no colon. */
export const HAND_OVER_PATH = '/.pinfold:enter';

/** The base of a site's own paths: its origin, or in path mode its shared URL. */
export function siteBaseOf(settings: Settings, id: RoleId): string {
  if (settings.mode === 'path') return sharedUrl(settings.publicUrl, id);
  return `${settings.sitesScheme}${id}.${settings.sitesHost}`;
}

/** The URL that accepts hand-overs: on the site's origin, or in path mode the shared URL. */
export function handOverUrl(settings: Settings, id: RoleId): string {
  return `${siteBaseOf(settings, id)}${settings.mode === 'path' ? '' : HAND_OVER_PATH}`;
}

const MAX_LENGTH = 2_048;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

export function isReturnPath(path: string): boolean {
  return (
    path.length <= MAX_LENGTH &&
    path.startsWith('/') &&
    path[1] !== '/' &&
    path[1] !== '\\' &&
    PRINTABLE_ASCII.test(path)
  );
}

/** The requested path from the query's `to`; `/` if it is missing, repeated or unsafe. */
export function returnPathOf(query: string): string {
  const [path, ...more] = parametersOf(query).getAll('to');
  return path !== undefined && more.length === 0 && isReturnPath(path) ? withoutCookieMark(path) : '/';
}

export function returnPathAt({ inside, query }: Pick<SharedPlace, 'inside' | 'query'>): string {
  if (inside === undefined) return returnPathOf(query);
  return isReturnPath(inside) ? withoutCookieMark(inside) : '/';
}

/** The query with the path to return to; empty if the path is unsafe. */
export function returnQuery(path: string): string {
  const unmarked = withoutCookieMark(path);
  return isReturnPath(unmarked) ? `?to=${encodeURIComponent(unmarked)}` : '';
}

/**
 * The parameter at the end of an address to which a viewer is redirected while a cookie is set. A request for such an
 * address without the cookie comes from a browser that stores none.
 */
const MARK = 'pinfold-cookie=1';

/** @param path a path with its query and fragment, if any. */
export function withCookieMark(path: string): string {
  const [query, fragment] = splitFragment(path);
  return `${query}${query.includes('?') ? '&' : '?'}${MARK}${fragment}`;
}

/** Whether a path with its query, or a query alone, ends with the mark. */
export function hasCookieMark(path: string): boolean {
  if (!path.endsWith(MARK)) return false;
  const start = path.length - MARK.length - 1;
  const question = path.indexOf('?');
  return path[start] === '&' ? question !== -1 : question === start && start !== -1;
}

/** Removes every mark at the end of the query. */
export function withoutCookieMark(path: string): string {
  let [query, fragment] = splitFragment(path);
  while (hasCookieMark(query)) query = query.slice(0, -MARK.length - 1);
  return query + fragment;
}

function splitFragment(path: string): [string, string] {
  const start = path.indexOf('#');
  return start === -1 ? [path, ''] : [path.slice(0, start), path.slice(start)];
}
