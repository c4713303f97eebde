import type { Refusal } from '../refusal.ts';
import type { ApiKeyId, Caller } from './api-key.ts';
import type { Sha256 } from './idempotency.ts';

/**
 * The key or session of a caller. With it, a store refuses the change once the key is revoked or the session has
 * ended. A key that the store does not know is valid: a team may name its own keys in {@link Caller}.
 */
export interface Credential {
  readonly key?: ApiKeyId | null;
  /** The hash of the session's token. */
  readonly session?: Sha256 | null;
}

/** The answer to a change whose credential no longer counts. */
export const UNAUTHORIZED: Refusal<'unauthorized'> = { kind: 'refused', code: 'unauthorized' };

export function credentialOf({ key }: Pick<Caller, 'key'>): Credential {
  return { key: key ?? null };
}
