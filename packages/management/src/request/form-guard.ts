import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { AccountId } from '@pinfold/core';

export function newFormSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function isFormSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

const TOKEN_BYTES = 32;

/**
 * The token that every form sends, valid in one browser and for one session: forms of an ended session are refused. Each
 * answer masks it anew, so that the lengths of compressed answers reveal nothing about it.
 */
export class FormToken {
  readonly #token: Buffer;
  readonly masked: string;

  constructor(secret: string, sessionBinding: string) {
    this.#token = createHmac('sha256', secret).update(`pinfold form\n${sessionBinding}`).digest();
    const mask = randomBytes(TOKEN_BYTES);
    this.masked = Buffer.concat([mask, xor(mask, this.#token)]).toString('base64url');
  }

  matches(sent: string | undefined): boolean {
    const bytes = Buffer.from(sent ?? '', 'base64url');
    if (bytes.length !== 2 * TOKEN_BYTES) return false;
    const [mask, masked] = [bytes.subarray(0, TOKEN_BYTES), bytes.subarray(TOKEN_BYTES)];
    return timingSafeEqual(xor(mask, masked), this.#token);
  }
}

function xor(left: Uint8Array, right: Uint8Array): Buffer {
  return Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)));
}

/** Returns a pseudonym of the account for this browser: scripts see whether another account has signed in. */
export function ownerMark(secret: string, account: AccountId): string {
  return createHmac('sha256', secret).update(`pinfold owner\n${account}`).digest('base64url');
}

/** Whether another site led here, in which case browsers omit SameSite=Strict cookies. */
export function isFromAnotherSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return (site === 'cross-site' || site === 'same-site') && headers['sec-fetch-mode'] === 'navigate';
}
