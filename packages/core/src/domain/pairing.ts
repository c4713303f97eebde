import type { ApiKeyId, Scope } from './api-key.ts';
import type { EventActor } from './history.ts';
import { SHA256, type Sha256 } from './idempotency.ts';
import type { AccountId } from './identity.ts';
import type { Instant } from './instant.ts';

/** A person's consent that a program gets one key. */
export interface Consent {
  readonly account: AccountId;
  /** The scopes of the key; never `admin`. */
  readonly scopes: readonly Scope[];
  readonly label: string;
  readonly actor: EventActor;
  /** The session in which it was given; null where sessions are not ours. The consent ends with it. */
  readonly session: Sha256 | null;
  /** The key with which it was given, where that was no session of ours: the consent ends when it is revoked. */
  readonly apiKey: ApiKeyId | null;
}

/** A program that asks for a key, as it is stored, without its secret. */
export interface Pairing {
  readonly secretHash: Sha256;
  /** From this instant on there is no key for it. */
  readonly endsAt: Instant;
  /** Null until a person has agreed. */
  readonly consent: Consent | null;
}

export const PAIRING_LIMIT = 10_000;

/** Nothing that is taken for another when it is read aloud or copied by eye (Crockford's base 32). */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * The eight characters by which a person sees that a program and a page mean the same secret, of which `hash` is the
 * SHA-256 in hexadecimal digits; `undefined` when the text is no hash.
 */
export function pairingCode(hash: string): string | undefined {
  if (!SHA256.test(hash)) return undefined;
  let code = '';
  for (let bits = Number.parseInt(hash.slice(0, 10), 16); code.length < 8; bits = Math.floor(bits / 32)) {
    code = DIGITS.charAt(bits % 32) + code;
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
