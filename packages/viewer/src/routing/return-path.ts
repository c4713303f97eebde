import { withoutCookieMark } from './cookie-mark.ts';
import type { SharedPlace } from './route.ts';

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
  const [path, ...more] = new URLSearchParams(query).getAll('to');
  return path !== undefined && more.length === 0 && isReturnPath(path) ? withoutCookieMark(path) : '/';
}

export function returnPathAt({ inside, query }: Pick<SharedPlace, 'inside' | 'query'>): string {
  if (inside === undefined) return returnPathOf(query);
  return isReturnPath(inside) ? withoutCookieMark(inside) : '/';
}

/** The query that carries a path first asked for; empty when it may not be returned to. */
export function returnQuery(path: string): string {
  const unmarked = withoutCookieMark(path);
  return isReturnPath(unmarked) ? `?to=${encodeURIComponent(unmarked)}` : '';
}
