import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Instant } from '@pinfold/core';

/** The state of a sign-in, stored in the browser. It proves that the same browser starts and finishes it. */
export interface SignInState {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The state is invalid from this instant. */
  readonly endsAt: Instant;
}

/** Derives the key from the client's own secret, so that all nodes have it without further settings. */
export function deriveStateKey(issuer: string, clientId: string, clientSecret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', clientSecret, `${issuer}\n${clientId}`, 'pinfold oidc state', 32));
}

export function seal(signInState: SignInState, key: Uint8Array): string {
  const text = Buffer.from(JSON.stringify(signInState)).toString('base64url');
  return `${text}.${signature(text, key).toString('base64url')}`;
}

/** Reads a state that was sealed with the same key; `undefined` for anything else. */
export function unseal(sealed: string, key: Uint8Array): SignInState | undefined {
  const [text = '', signed = ''] = sealed.split('.');
  const [expected, sent] = [signature(text, key), Buffer.from(signed, 'base64url')];
  if (expected.length !== sent.length || !timingSafeEqual(expected, sent)) return undefined;
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as SignInState;
}

function signature(text: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
