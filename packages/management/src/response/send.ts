import { encodeAnswer, send, stripCors, type Answer as WireAnswer } from '@pinfold/http/internal';
import { writeCookie } from '../request/cookies.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { Answer } from './answer.ts';
import { signFlash } from './flash.ts';

const FLASH_SECONDS = 60;

export function protect({ response, nonce, screen: { look } }: RequestContext): void {
  stripCors(response);
  response.set({
    'Content-Security-Policy': [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      look.sheet === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`,
      `img-src ${look.pictures}`,
      "connect-src 'self'",
      "worker-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
    'X-Robots-Tag': 'noindex',
  });
}

export async function sendAnswer(visit: RequestContext, answer: Answer, requestId: string): Promise<void> {
  const { request, response, screen } = visit;
  if (response.destroyed) return;
  if (answer.kind === 'see_other' && answer.flash !== undefined) {
    writeCookie(response, visit.scope, 'said', signFlash(answer.flash, visit.secret), FLASH_SECONDS);
  }
  const encoded = encodeAnswer(wireAnswer(answer, visit.words.language), requestId);
  // Promises that V8 has not yet collected would keep the page until it stops all requests to collect them.
  if (answer.kind === 'page') answer.body = undefined;
  await send(request, response, encoded, screen.useCases);
}

function wireAnswer(answer: Answer, language: string): WireAnswer {
  const { status } = answer;
  if (answer.kind === 'see_other') return { status, headers: { Location: answer.to, 'Content-Length': '0' } };
  if (answer.kind === 'picture') {
    const headers = { 'Content-Type': 'image/svg+xml; charset=utf-8' };
    return { status, headers, bytes: Buffer.from(answer.svg) };
  }
  const retry = answer.retryAfter === undefined ? {} : { 'Retry-After': String(answer.retryAfter) };
  if (answer.kind === 'json') return { status, json: answer.body, headers: retry };
  const type = 'text/html; charset=utf-8';
  return {
    status,
    headers: {
      ...retry,
      'Content-Type': type,
      'Content-Language': language,
      Vary: 'Accept-Language, Cookie',
    },
    bytes: answer.body ?? Buffer.from(String(answer.html)),
  };
}
