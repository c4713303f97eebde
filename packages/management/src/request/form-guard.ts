import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A new secret for one browser, kept in a cookie that only this screen reads. */
export function newFormSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a text can be a secret of {@link newFormSecret}. */
export function isFormSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/**
 * The token that every form carries. It is good in one browser and for one session: whoever signs out, or in as
 * another, leaves forms behind that do nothing.
 *
 * @param bond what the forms are bound to: the session's token, or the account.
 */
export function formToken(secret: string, bond: string): string {
  return createHmac('sha256', secret).update(`pinfold form\n${bond}`).digest('base64url');
}

/** Compares tokens in constant time. */
export function isSameToken(expected: string, sent: string | undefined): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(sent ?? '')];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Whether a page elsewhere led here, so that the browser held back cookies that are SameSite=Strict. */
export function isLedFromElsewhere(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return (site === 'cross-site' || site === 'same-site') && headers['sec-fetch-mode'] === 'navigate';
}
