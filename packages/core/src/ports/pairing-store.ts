import type { Sha256 } from '../domain/idempotency.ts';
import type { Instant } from '../domain/instant.ts';
import type { Pairing } from '../domain/pairing.ts';

/**
 * Keeps what people agreed to until a program comes for its key. Only signing programs in needs it. Time comes in with
 * each request.
 *
 * Faults: `store_unavailable`, `store_corrupt`.
 *
 * @promise pairing-store/unreachable: while the database does not answer, every call rejects with the fault store_unavailable and what caused it
 */
export interface PairingStore {
  /**
   * Keeps a pairing, unless there is one of its hash.
   * @promise pairing-store/agree: a pairing is there for every peer, every field as it was given
   * @promise pairing-store/agree-once: of many at once one is kept for a hash, and it stays as it is until it is taken or purged
   */
  agree(pairing: Pairing): Promise<{ readonly kind: 'agreed' } | { readonly kind: 'exists' }>;

  /**
   * The pairing of a hash at an instant.
   * @promise pairing-store/find: a pairing is found until its instant has come; hashes are compared exactly, and an unknown one is undefined
   */
  find(secretHash: Sha256, now: Instant): Promise<Pairing | undefined>;

  /**
   * Takes a pairing away and gives it to whoever asked.
   * @promise pairing-store/take-once: of many at once exactly one takes a pairing, every field as it was given, and it is gone for every peer
   * @promise pairing-store/take-ended: a pairing whose instant has come, or that nobody agreed to, is undefined
   */
  take(secretHash: Sha256, now: Instant): Promise<Pairing | undefined>;

  /**
   * Drops pairings that ended by an instant, at most `limit`; answers how many.
   * @promise pairing-store/purge: what ended goes, at most the limit, and what has not ended stays
   */
  purge(endedBy: Instant, limit: number): Promise<number>;
}
