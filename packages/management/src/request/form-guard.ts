import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export function newFormSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function isFormSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** The token that every form sends, valid in one browser and for one session: forms of an ended session are refused. */
export function formToken(secret: string, sessionBinding: string): string {
  return createHmac('sha256', secret).update(`pinfold form\n${sessionBinding}`).digest('base64url');
}

/** Compares tokens in constant time. */
export function isSameToken(expected: string, sent: string | undefined): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(sent ?? '')];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Whether a page of another site led here, so that the browser sent no cookies that are SameSite=Strict. */
export function isFromAnotherSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return (site === 'cross-site' || site === 'same-site') && headers['sec-fetch-mode'] === 'navigate';
}
