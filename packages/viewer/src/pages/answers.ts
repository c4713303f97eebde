import type { IncomingMessage } from 'node:http';
import type { Ended, RoleId } from '@pinfold/core';
import { sharedUrl } from '@pinfold/http';
import {
  ALL_LANGUAGES,
  type Language,
  PUBLIC_POLICY,
  type PublicPage,
  preferredLanguage,
} from '@pinfold/http/internal';
import { ANSWERED, type Answered, type Exchange, end, writeHead } from '../exchange.ts';
import { HAND_OVER_PATH, returnQuery, siteBaseOf } from '../routing/addresses.ts';
import { encodeRawBytes, isNavigation } from '../routing/target.ts';
import { PAGES, type PageName } from './catalogue.ts';
import { cookiesPage, type PasswordNotice, pageInEveryLanguage, passwordPage, plainPage } from './pages.ts';

export type Headers = Readonly<Record<string, string>>;

/** The default headers of every answer that is not a file of a site. */
const DEFAULT_HEADERS: Headers = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  // Without them, a site on a sibling host could learn whether a viewer is admitted, and by what address.
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
};

/** Headers of every answer inside a site in path mode: its sandboxed pages have an opaque origin, so all is cross-origin. */
export const CROSS_ORIGIN: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** The same for an address that may contain a grant. */
export const CROSS_ORIGIN_NO_REFERRER: Headers = { ...CROSS_ORIGIN, 'Referrer-Policy': 'no-referrer' };

const PAGE_HEADERS: Headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': PUBLIC_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  ...DEFAULT_HEADERS,
};

/** `Retry-After` while a part of the service cannot be reached. */
export const RETRY_SECONDS = 10;

const STATUS: Readonly<Record<PasswordNotice['kind'], number>> = {
  wrong_password: 403,
  too_many_tries: 429,
  busy: 503,
};

function languageOf({ headers }: IncomingMessage): Language {
  return preferredLanguage(headers['accept-language'], ALL_LANGUAGES);
}

export function sendPlainPage(
  exchange: Exchange,
  status: number,
  page: PageName,
  more: Headers = {},
): Answered {
  sendHtml(exchange, status, (language, service) => plainPage(language, page, service), more);
  return { outcome: page };
}

export function sendPasswordPage(exchange: Exchange, notice?: PasswordNotice): Answered {
  const status = notice === undefined ? 200 : STATUS[notice.kind];
  const retry: Headers = notice?.seconds === undefined ? {} : { 'Retry-After': String(notice.seconds) };
  sendHtml(exchange, status, (language, service) => passwordPage(language, notice, service), retry);
  return { outcome: notice?.kind ?? 'password_required' };
}

/** Answers a viewer whose browser did not store the cookie of a site; `path` leads back into the site. */
export function sendCookiesPage(exchange: Exchange, id: RoleId, path: string): Answered {
  const { settings } = exchange.context;
  const { host } = new URL(siteBaseOf(settings, id));
  const url = sharedUrl(settings.publicUrl, id) + returnQuery(path);
  sendHtml(exchange, 200, (language, service) => cookiesPage(language, { host, url }, service));
  return { outcome: 'cookies_blocked' };
}

export function sendUnavailable(exchange: Exchange, seconds: number = RETRY_SECONDS): Answered {
  return sendPlainPage(exchange, 503, 'unavailable', { 'Retry-After': String(seconds) });
}

/** Answers a request with too many cookies; if the operator wants it, the browser deletes those of the whole domain. */
export function sendTooManyCookies(exchange: Exchange): Answered {
  const { clearCookies } = exchange.context.settings;
  if (clearCookies) sendPlainPage(exchange, 431, 'cookies_cleared', { 'Clear-Site-Data': '"cookies"' });
  else sendPlainPage(exchange, 431, 'too_many_cookies');
  return { outcome: 'too_many_cookies' };
}

export function sendStopped(exchange: Exchange, kind: Ended['kind']): Answered {
  return kind === 'expired'
    ? sendPlainPage(exchange, 410, 'expired')
    : sendPlainPage(exchange, 404, 'not_found');
}

/** Answers an address outside of all sites. */
export function sendOutsidePage(exchange: Exchange): Answered {
  const { request, context } = exchange;
  // In path mode, a wrong link of a site may lead here; its sandboxed pages send no Referer that would show it.
  const mayComeFromSite = context.settings.mode === 'path' && isNavigation(request.headers.accept);
  return sendPlainPage(exchange, 404, mayComeFromSite ? 'outside_site' : 'not_found');
}

export function sendMethodNotAllowed(exchange: Exchange, allow: string): Answered {
  return sendPlainPage(exchange, 405, 'method_not_allowed', { Allow: allow });
}

/** Keeps the next page from learning a grant in this address. */
function referrerPolicy({ url = '' }: IncomingMessage): Headers {
  return url.startsWith(HAND_OVER_PATH) || /[?&]grant=/.test(url) ? { 'Referrer-Policy': 'no-referrer' } : {};
}

function sendHtml(
  exchange: Exchange,
  status: number,
  write: (language: Language, service: PublicPage) => string,
  more: Headers = {},
): void {
  const language = languageOf(exchange.request);
  const page = write(language, exchange.context.settings.service);
  sendText(exchange, status, page, { ...PAGE_HEADERS, 'Content-Language': language }, more);
}

function sendText(exchange: Exchange, status: number, text: string, own: Headers, more: Headers = {}): void {
  const { request, pageHeaders } = exchange;
  const body = Buffer.from(text);
  const length = { 'Content-Length': body.length };
  const headers = { ...own, ...length, ...referrerPolicy(request), ...pageHeaders, ...more };
  writeHead(exchange, status, headers);
  end(exchange, request.method === 'HEAD' ? undefined : body);
}

/** Refuses a request, other than a navigation, that has no valid grant. */
export function sendNotAdmitted(exchange: Exchange): Answered {
  const { identifiesViewers } = exchange.context.access;
  return sendForbiddenLine(exchange, identifiesViewers ? 'not_admitted' : 'password_required');
}

export function sendForbiddenLine(exchange: Exchange, page: PageName): Answered {
  const [line] = PAGES[page][languageOf(exchange.request)];
  const own = { ...DEFAULT_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' };
  sendText(exchange, 403, `${line}\n`, own);
  return { outcome: page };
}

export interface Redirect {
  /** Default 302. */
  readonly status?: 302 | 303 | 308;
  /** Absolute. Bytes that a header must not contain are percent-encoded. */
  readonly location: string;
  /** If the location contains a grant. */
  readonly referrer?: 'no-referrer';
  readonly cookie?: string;
}

export function sendRedirect(
  exchange: Exchange,
  { status = 302, location, referrer, cookie }: Redirect,
): Answered {
  writeHead(exchange, status, {
    ...DEFAULT_HEADERS,
    Location: encodeRawBytes(location),
    'Content-Length': 0,
    ...(cookie === undefined ? {} : { 'Set-Cookie': cookie }),
    ...referrerPolicy(exchange.request),
    ...(referrer === undefined ? {} : { 'Referrer-Policy': referrer }),
    ...exchange.pageHeaders,
  });
  end(exchange);
  return ANSWERED;
}

export function sendSignIn(exchange: Exchange, status: 302 | 303, location: string): Answered {
  sendRedirect(exchange, { status, location });
  return { outcome: 'sign_in_required' };
}

/** An answer to a request that could not be read. */
export interface UnreadHeadPage {
  readonly html: string;
  readonly headers: Headers;
}

/**
 * The answer to a request whose head is too large to read, for `clientError` of `node:http` or a proxy:
 * the page about too many cookies. It is in every language, since the browser's preference was not read either.
 */
export const unreadHeadPage: UnreadHeadPage = {
  html: pageInEveryLanguage('too_many_cookies'),
  headers: { ...PAGE_HEADERS, 'Referrer-Policy': 'no-referrer' },
};
