import type { Authority } from '../domain/actor.ts';
import type { Unchangeable } from '../domain/admission.ts';
import type { ApiKey, ApiKeyId } from '../domain/api-key.ts';
import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';

/**
 * Keeps API keys. Only key management, signing in to the management screen and authentication by {@link ApiKey} need it.
 * Events come with the writes they tell of.
 *
 * Faults: `store_unavailable`, `store_corrupt`.
 *
 * @promise api-key-store/unreachable: while the database does not answer, every call rejects with the fault store_unavailable and what caused it
 * @promise api-key-store/lets-go: of a call that has ended nothing is left: no listener on its signal, no open file or connection
 * @promise api-key-store/same-question: the same question asked again is answered by what any peer changed meanwhile, and what was answered before stays as it was
 */
export interface ApiKeyStore {
  /**
   * Stores a key under its id, unless there is one; without an authority it is the account's.
   * @promise api-key-store/create: a new key is there for every peer, every field as it was given
   * @promise api-key-store/create-exists: an id that is taken, also by a revoked key, stays as it is; ids are compared exactly, and of many at once one is created
   */
  create(
    key: ApiKey,
    events: readonly HistoryEvent[],
    authority?: Authority,
  ): Promise<{ readonly kind: 'created' } | { readonly kind: 'exists' } | Unchangeable>;

  /**
   * Stores the very first key of an installation, by one conditional write.
   * @promise api-key-store/first: of many at once, and for ever after, exactly one is the first; any key there makes it too late
   */
  createFirst(
    key: ApiKey,
    events: readonly HistoryEvent[],
  ): Promise<{ readonly kind: 'created' } | { readonly kind: 'exists' }>;

  /**
   * The key of an id, revoked or not.
   * @promise api-key-store/find-absent: an unknown id is undefined
   * @promise api-key-store/find-aborted: an aborted signal rejects with its reason
   */
  find(id: ApiKeyId, signal?: AbortSignal): Promise<ApiKey | undefined>;

  /**
   * Keys in order of (createdAt, id), of one account or of all.
   * @promise api-key-store/list: all keys in order, ids by code unit, or exactly an account's
   * @promise api-key-store/list-many: more than a thousand keys, hundreds of them of one instant, are listed whole
   */
  list(account: AccountId | undefined): Promise<readonly ApiKey[]>;

  /**
   * Revokes a key from an instant on.
   * @promise api-key-store/revoke: a revoked key is so for every peer at its next look; again, the first instant stays; an unknown one is unknown; use noted at the same moment undoes nothing
   */
  revoke(
    id: ApiKeyId,
    at: Instant,
    events: readonly HistoryEvent[],
  ): Promise<{ readonly kind: 'revoked' } | { readonly kind: 'unknown' }>;

  /**
   * Notes that a key was used, unless that was noted after `unlessSince`.
   * @promise api-key-store/touch: use is noted once until the instant has passed, and never moves back
   */
  touch(id: ApiKeyId, at: Instant, unlessSince: Instant): Promise<void>;
}
