import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Instant } from '@pinfold/core';

/** The state that a browser stores during a sign-in. It proves that the same browser began and ends the sign-in. */
export interface SignInState {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** From this instant on it is good for nothing. */
  readonly endsAt: Instant;
}

/** The key of one client of one issuer: every node has it, and no other secret is needed. */
export function keyOf(issuer: string, clientId: string, clientSecret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', clientSecret, `${issuer}\n${clientId}`, 'pinfold oidc state', 32));
}

export function seal(signInState: SignInState, key: Uint8Array): string {
  const text = Buffer.from(JSON.stringify(signInState)).toString('base64url');
  return `${text}.${signature(text, key).toString('base64url')}`;
}

/** Reads what was sealed with the same key; `undefined` for anything else. */
export function unseal(sealed: string, key: Uint8Array): SignInState | undefined {
  const [text = '', signed = ''] = sealed.split('.');
  const [expected, sent] = [signature(text, key), Buffer.from(signed, 'base64url')];
  if (expected.length !== sent.length || !timingSafeEqual(expected, sent)) return undefined;
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as SignInState;
}

function signature(text: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
