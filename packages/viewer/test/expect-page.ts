import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Answer } from './client.ts';

/** Checks a page of the viewer's own: each is like this. */
export function expectPage(answer: Answer, status: number): void {
  expect(answer.status).to.equal(status);
  expect(answer.headers).to.include({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  });
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(answer.text) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(answer.headers['content-security-policy']).to.equal(
    `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'`,
  );
}
