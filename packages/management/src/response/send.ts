import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import {
  type EncodedAnswer,
  encodeAnswer,
  prefersGzip,
  type Settled,
  send,
  stripCors,
  type Answer as WireAnswer,
} from '@pinfold/http/internal';
import type { Request } from 'express';
import { writeCookie } from '../request/cookies.ts';
import type { RequestContext } from '../request/request-context.ts';
import { type Answer, type Flash, signFlash } from './answer.ts';

const FLASH_SECONDS = 60;

const NO_BYTES = new Uint8Array();

const inThread = promisify(gzip);

/** Below this size, in bytes, an uncompressed page and its headers fit one packet. */
const MIN_SIZE = 1_024;

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

/**
 * Compresses a page unless another site led to it. Such a site may choose the search text, and the compressed length
 * would show how much of that text occurs in the secret addresses on the page (BREACH).
 */
export async function compressPage(answer: Answer, { headers }: Pick<Request, 'headers'>): Promise<Answer> {
  if (answer.kind !== 'page' || answer.body === undefined || answer.body.length < MIN_SIZE) return answer;
  const from = headers['sec-fetch-site'];
  const isOurs = from === 'same-origin' || from === 'none';
  if (!isOurs || !prefersGzip(headers['accept-encoding'])) return answer;
  return { ...answer, body: await inThread(answer.body), coding: 'gzip' };
}

interface Encoded extends Settled {
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
  if (answer.kind === 'file') return answer.answer;
  const retry = answer.retryAfter === undefined ? {} : { 'Retry-After': String(answer.retryAfter) };
  if (answer.kind === 'json') return { status, json: answer.body, headers: retry };
  return {
    status,
    headers: {
      ...retry,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': language,
      ...(answer.coding === undefined ? {} : { 'Content-Encoding': answer.coding }),
      Vary: 'Accept-Encoding, Accept-Language, Cookie, Sec-Fetch-Site',
    },
    bytes: answer.body ?? Buffer.from(String(answer.html)),
  };
}
