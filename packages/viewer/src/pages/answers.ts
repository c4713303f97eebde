import type { IncomingMessage } from 'node:http';
import type { Ended } from '@pinfold/core';
import { preferredLanguage } from '@pinfold/http';
import type { Access } from '../entering/access.ts';
import type { Exchange } from '../exchange.ts';
import { catalogues, LANGUAGES, type Language } from './catalogue.ts';
import { PAGE_POLICY } from './page-style.ts';
import { type PasswordNotice, type PlainPage, passwordPage, plainPage, plainPages } from './pages.ts';

/** Headers by name. */
export type Headers = Readonly<Record<string, string>>;

/** What every answer that is no file of a site has, unless it says otherwise itself. */
const APART: Headers = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  // By either of them a sibling could learn who is in, and how.
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
};

/** What every page has. */
export const PAGE_HEADERS: Headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': PAGE_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  ...APART,
};

/** Seconds after which a viewer may try again when a part of the service cannot be reached. */
export const UNAVAILABLE_FOR = 10;

/** What the log calls the pages that refuse. */
const REFUSALS: ReadonlyMap<PlainPage, string> = new Map<PlainPage, string>([
  [plainPages.badForm, 'bad_form'],
  [plainPages.badRequest, 'bad_request'],
  [plainPages.cookiesCleared, 'too_many_cookies'],
  [plainPages.error, 'internal_error'],
  [plainPages.expired, 'expired'],
  [plainPages.forbidden, 'password_required'],
  [plainPages.foreignForm, 'foreign_form'],
  [plainPages.method, 'method_not_allowed'],
  [plainPages.misdirected, 'misdirected'],
  [plainPages.missingPage, 'no_such_file'],
  [plainPages.notAdmitted, 'not_admitted'],
  [plainPages.notFound, 'not_found'],
  [plainPages.serviceWorker, 'service_worker'],
  [plainPages.tooManyCookies, 'too_many_cookies'],
  [plainPages.unavailable, 'unavailable'],
]);

const NOTICES: Readonly<Record<PasswordNotice['kind'], string>> = {
  wrong: 'wrong_password',
  limited: 'too_many_tries',
  busy: 'busy',
};

function languageOf({ headers }: IncomingMessage): Language {
  return preferredLanguage(headers['accept-language'], LANGUAGES);
}

/** Answers with a page that asks nothing. */
export function sendPlainPage(exchange: Exchange, status: number, page: PlainPage, more: Headers = {}): void {
  exchange.refused = REFUSALS.get(page);
  const language = languageOf(exchange.request);
  sendHtml(exchange, status, language, plainPage(language, page), more);
}

/** Answers with the page that asks for the password. */
export function sendPasswordPage(
  exchange: Exchange,
  status: 200 | 403 | 429 | 503,
  notice?: PasswordNotice,
): void {
  exchange.refused = notice === undefined ? 'password_required' : NOTICES[notice.kind];
  const language = languageOf(exchange.request);
  const later = notice === undefined || notice.kind === 'wrong' ? undefined : notice.seconds;
  const retry: Headers = later === undefined ? {} : { 'Retry-After': String(later) };
  sendHtml(exchange, status, language, passwordPage(language, notice), retry);
}

/** Answers that a part of the service cannot be reached. */
export function sendUnavailable(exchange: Exchange, seconds: number = UNAVAILABLE_FOR): void {
  sendPlainPage(exchange, 503, plainPages.unavailable, { 'Retry-After': String(seconds) });
}

/**
 * Answers that the browser sends more cookies than are taken.
 *
 * @param clear whether the browser is told to forget them: those of the whole domain, whoever set them.
 */
export function sendTooManyCookies(exchange: Exchange, clear: boolean, more: Headers = {}): void {
  if (clear) {
    sendPlainPage(exchange, 431, plainPages.cookiesCleared, { 'Clear-Site-Data': '"cookies"', ...more });
  } else sendPlainPage(exchange, 431, plainPages.tooManyCookies, more);
}

/** Answers that a role has ended, or that there never was one. */
export function sendStopped(exchange: Exchange, kind: Ended['kind'], more: Headers = {}): void {
  if (kind === 'expired') sendPlainPage(exchange, 410, plainPages.expired, more);
  else sendPlainPage(exchange, 404, plainPages.notFound, more);
}

/** Answers that the method has no meaning here. */
export function sendMethodNotAllowed(exchange: Exchange, allow: string, more: Headers = {}): void {
  sendPlainPage(exchange, 405, plainPages.method, { Allow: allow, ...more });
}

function sendHtml(
  { request, response }: Exchange,
  status: number,
  language: Language,
  page: string,
  more: Headers,
): void {
  const body = Buffer.from(page);
  const own = { 'Content-Language': language, 'Content-Length': body.length };
  response.writeHead(status, { ...PAGE_HEADERS, ...own, ...more });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Answers a part of a page whose viewer shows no grant that admits them. */
export function sendNotAdmitted(
  exchange: Exchange,
  { tellsApart }: Pick<Access, 'tellsApart'>,
  more: Headers,
): void {
  sendForbiddenLine(exchange, tellsApart ? plainPages.notAdmitted : plainPages.forbidden, more);
}

/** Answers a part of a page that it is forbidden, in one line. */
export function sendForbiddenLine(exchange: Exchange, page: PlainPage, more: Headers = {}): void {
  const { request, response } = exchange;
  exchange.refused = REFUSALS.get(page);
  const language = languageOf(request);
  const body = Buffer.from(`${catalogues[language][page.title]}\n`);
  const own = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': body.length };
  response.writeHead(403, { ...APART, ...own, ...more });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Where a redirect leads, and what goes with it. */
export interface Redirect {
  readonly status: 302 | 303 | 308;
  /** Absolute. */
  readonly location: string;
  /** `no-referrer` where an address with a grant in it is left or led to. Default `same-origin`. */
  readonly referrer?: 'same-origin' | 'no-referrer';
  readonly cookie?: string;
}

/** Answers with a redirect. */
export function sendRedirect(
  { response }: Exchange,
  { status, location, referrer, cookie }: Redirect,
  more: Headers = {},
): void {
  response.writeHead(status, {
    ...APART,
    Location: location,
    'Content-Length': 0,
    ...(cookie === undefined ? {} : { 'Set-Cookie': cookie }),
    ...(referrer === undefined ? {} : { 'Referrer-Policy': referrer }),
    ...more,
  });
  response.end();
}

/** Sends a viewer where they sign in. */
export function sendSignIn(exchange: Exchange, status: 302 | 303, location: string): void {
  exchange.refused = 'sign_in_required';
  sendRedirect(exchange, { status, location });
}
