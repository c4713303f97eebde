import { PAGE_POLICY } from './page-style.ts';
import { bilingualPage, plainPages } from './pages.ts';

/** An answer to give before any request was read. */
export interface UnreadHeadPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * What to answer a request whose head is too large to be read at all, from `clientError` of `node:http` or in a proxy:
 * the page about too many cookies. It speaks every language, since what the browser prefers was not read either.
 */
export const unreadHeadPage: UnreadHeadPage = {
  html: bilingualPage(plainPages.tooManyCookies),
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': PAGE_POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
  },
};
