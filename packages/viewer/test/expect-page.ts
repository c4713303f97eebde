import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import type { Answer } from './client.ts';

/** The headers of every answer that is not a file of a site. */
const DEFAULT_HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

/** The additional headers of an ended site's own origin. */
export const FORGET = {
  'clear-site-data': '"cache", "storage"',
  'set-cookie': ['pinfold_grant=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax'],
};

/** The additional headers of an answer inside a site in path mode, whose address may contain a grant. */
export const CROSS_ORIGIN_NO_REFERRER = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
};

/** The headers of an answer, except those that Node writes. */
export function headersOf({ headers }: Answer): IncomingHttpHeaders {
  const { date: _date, connection: _connection, ...own } = headers;
  return own;
}

/** Checks a page of the viewer itself: all have exactly these headers. */
export function expectPage(answer: Answer, status: number, more: IncomingHttpHeaders = {}): void {
  expect(answer.status).to.equal(status);
  const [, language] = /<html lang="(\w+)">/.exec(answer.text) ?? [];
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(answer.text) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headersOf(answer)).to.deep.equal({
    ...DEFAULT_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(answer.body.length),
    'content-language': language,
    'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; img-src data:`,
    'cross-origin-opener-policy': 'same-origin',
    ...more,
  });
}

/** Checks a refusal of one line of plain text. */
export function expectLine(answer: Answer, line: string, more: IncomingHttpHeaders = {}): void {
  expect([answer.status, answer.text]).to.deep.equal([403, `${line}\n`]);
  expect(headersOf(answer)).to.deep.equal({
    ...DEFAULT_HEADERS,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(answer.body.length),
    ...more,
  });
}

/** Checks a redirect. */
export function expectRedirect(
  answer: Answer,
  status: number,
  location: string,
  more: IncomingHttpHeaders = {},
): void {
  expect([answer.status, answer.text]).to.deep.equal([status, '']);
  expect(headersOf(answer)).to.deep.equal({ ...DEFAULT_HEADERS, location, 'content-length': '0', ...more });
}
