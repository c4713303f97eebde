import { writeCookie } from '../request/cookies.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { Answer } from './answer.ts';
import { signFlash } from './flash.ts';

const FLASH_SECONDS = 60;

export function protect({ response, nonce, screen: { look } }: RequestContext, requestId: string): void {
  response.set({
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
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
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
  });
}

export function send(visit: RequestContext, answer: Answer): void {
  const { response, scope } = visit;
  if (response.headersSent || response.destroyed) return;
  if (answer.kind === 'see_other') {
    if (answer.flash !== undefined) {
      writeCookie(response, scope, 'said', signFlash(answer.flash, visit.secret), FLASH_SECONDS);
    }
    response.status(303).set('Location', answer.to).end();
    return;
  }
  if (answer.kind === 'picture') {
    response.type('image/svg+xml').send(answer.svg);
    return;
  }
  response.status(answer.status);
  if (answer.retryAfter !== undefined) response.set('Retry-After', String(answer.retryAfter));
  if (answer.kind === 'json') {
    response.json(answer.body);
    return;
  }
  const pieces = answer.body ?? [Buffer.from(String(answer.html))];
  response.set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': visit.words.language,
    'Content-Length': String(pieces.reduce((length, piece) => length + piece.byteLength, 0)),
    Vary: 'Accept-Language, Cookie',
  });
  for (const piece of pieces) response.write(piece);
  response.end();
}
