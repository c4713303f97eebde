import { type Headers, PAGE_HEADERS } from './answers.ts';
import { pageInEveryLanguage } from './pages.ts';

/** An answer to give before any request was read. */
export interface UnreadHeadPage {
  readonly html: string;
  readonly headers: Headers;
}

/**
 * What to answer a request whose head is too large to be read at all, from `clientError` of `node:http` or in a proxy:
 * the page about too many cookies. It speaks every language, since what the browser prefers was not read either.
 */
export const unreadHeadPage: UnreadHeadPage = {
  html: pageInEveryLanguage('too_many_cookies'),
  headers: { ...PAGE_HEADERS, 'Referrer-Policy': 'no-referrer' },
};
