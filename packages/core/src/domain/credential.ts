import type { Refusal } from '../refusal.ts';
import type { ApiKeyId, Caller } from './api-key.ts';
import type { Sha256 } from './idempotency.ts';

/**
 * What a caller signed in with. A store that is given it refuses the change once the key is revoked or the session has
 * ended. A key that the store does not know counts as good: a team may name keys of its own in {@link Caller}.
 */
export interface Credential {
  readonly key?: ApiKeyId | null;
  /** The hash of the session's token. */
  readonly session?: Sha256 | null;
}

/** The answer to a change whose credential no longer counts. */
export const UNAUTHORIZED: Refusal<'unauthorized'> = { kind: 'refused', code: 'unauthorized' };

export function credentialOf({ key }: Pick<Caller, 'key'>): Credential {
  return key === undefined ? {} : { key };
}
