import {
  type EncodedAnswer,
  encodeAnswer,
  type Settled,
  send,
  stripCors,
  type Answer as WireAnswer,
} from '@pinfold/http/internal';
import { writeCookie } from '../request/cookies.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { Answer } from './answer.ts';
import { type Flash, signFlash } from './flash.ts';

const FLASH_SECONDS = 60;

const NO_BYTES = new Uint8Array();

export function setSecurityHeaders({ response, nonce, screen: { branding } }: RequestContext): void {
  stripCors(response);
  response.set({
    'Content-Security-Policy': [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      branding.sheet === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`,
      `img-src ${branding.pictures}`,
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

export interface Encoded extends Settled {
  encoded: EncodedAnswer;
  readonly flash: Flash | undefined;
}

export function encodeOutcome(context: RequestContext, answer: Answer, requestId: string): Encoded {
  const bytes = encodeAnswer(wireAnswer(answer, context.messages.language), requestId);
  const flash = answer.kind === 'see_other' ? answer.flash : undefined;
  // Otherwise promises that are not yet garbage-collected would hold the page in memory.
  if (answer.kind === 'page') answer.body = undefined;
  return { ...answer.log, status: answer.status, encoded: bytes, flash };
}

export async function sendAnswer(context: RequestContext, outcome: Encoded): Promise<void> {
  const { request, response, screen } = context;
  const { encoded, flash } = outcome;
  if (response.destroyed) return;
  if (flash !== undefined) {
    writeCookie(response, context.scope, 'flash', signFlash(flash, context.secret), FLASH_SECONDS);
  }
  // Frees the bytes early, as in `encodeOutcome`.
  outcome.encoded = { ...encoded, body: NO_BYTES };
  await send(request, response, encoded, screen.useCases);
}

function wireAnswer(answer: Answer, language: string): WireAnswer {
  const { status } = answer;
  if (answer.kind === 'see_other') return { status, headers: { Location: answer.to, 'Content-Length': '0' } };
  if (answer.kind === 'download') return answer.answer;
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
      ...(answer.coding === undefined ? {} : { 'Content-Encoding': answer.coding }),
      Vary: 'Accept-Encoding, Accept-Language, Cookie, Sec-Fetch-Site',
    },
    bytes: answer.body ?? Buffer.from(String(answer.html)),
  };
}
