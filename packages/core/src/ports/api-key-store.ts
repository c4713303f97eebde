import type { Authority, Credential } from '../domain/actor.ts';
import type { Unchangeable } from '../domain/admission.ts';
import type { ApiKey, ApiKeyId } from '../domain/api-key.ts';
import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { KeyQuotaExceeded, Refusal } from '../refusal.ts';

/** A query for keys, newest first by (createdAt, id). */
export interface ApiKeyQuery {
  /** Undefined: every account. */
  readonly account: AccountId | undefined;
  readonly after: ApiKeyPlace | undefined;
  readonly limit: number;
}

/** A place in a list of keys: after the key of that instant and id. */
export type ApiKeyPlace = Pick<ApiKey, 'createdAt' | 'id'>;

/**
 * Stores API keys. Only key management, signing in to the management screen and authentication by {@link ApiKey} need it.
 * A write stores its events in the same step.
 *
 * @promise api-key-store/unreachable: while the database does not answer, every call rejects with the fault store_unavailable and its cause
 * @promise api-key-store/lets-go: a call leaves nothing behind when it has ended: no listener on its signal, no open file or connection
 * @promise api-key-store/same-question: a repeated query sees what any peer has changed, and earlier results do not change
 */
export interface ApiKeyStore {
  /**
   * Stores a new key. The default authority is `account`; the limit does not apply to `operator`. `credential` is the
   * creator's.
   * @promise api-key-store/create: a created key is visible to every peer, with every field
   * @promise api-key-store/create-exists: creating a key whose id is taken, even by a revoked key, changes nothing; ids are compared exactly, and of many concurrent calls one creates
   * @promise api-key-store/create-ensured: creating an ensured key whose id is taken marks the stored key as ensured and changes no other field
   * @promise api-key-store/create-limit: concurrent calls create as many keys as the limit allows; revoked keys and those of other accounts do not count, and a refusal stores neither key nor event
   */
  create(
    key: ApiKey,
    events: readonly HistoryEvent[],
    authority?: Authority,
    limit?: number | null,
    credential?: Credential,
  ): Promise<
    { readonly kind: 'created' | 'exists' } | Unchangeable | KeyQuotaExceeded | Refusal<'unauthorized'>
  >;

  /** @promise api-key-store/first: of many concurrent calls exactly one creates the first key, and later calls create none; any stored key prevents it */
  createFirst(key: ApiKey, events: readonly HistoryEvent[]): Promise<{ readonly kind: 'created' | 'exists' }>;

  /**
   * Finds a key, even a revoked one.
   * @promise api-key-store/find-absent: an unknown id is undefined
   * @promise api-key-store/find-aborted: an aborted signal rejects with its reason
   */
  find(id: ApiKeyId, signal?: AbortSignal): Promise<ApiKey | undefined>;

  /**
   * Lists a page of keys, newest first: fewer than `limit` only at the end.
   * @promise api-key-store/list: the list has all keys in order, ids by code unit, or exactly those of an account
   * @promise api-key-store/list-pages: pages after a key, even a removed one, have every key exactly once
   * @promise api-key-store/list-many: a list with a high limit has more than a thousand keys, even hundreds of one instant
   */
  list(query: ApiKeyQuery): Promise<readonly ApiKey[]>;

  /** @promise api-key-store/count-live: exactly the keys of an account that are not revoked are counted */
  countLive(account: AccountId): Promise<number>;

  /** @promise api-key-store/revoke: every peer sees a revocation at its next read; a second one does not change the instant, an unknown key is unknown, and a concurrent record of its use undoes nothing */
  revoke(
    id: ApiKeyId,
    at: Instant,
    events: readonly HistoryEvent[],
  ): Promise<{ readonly kind: 'revoked' | 'unknown' }>;

  /**
   * Records that a key was used, unless that was recorded after `unlessSince`.
   * @promise api-key-store/touch: use is recorded once until the instant has passed, and moves back only from over an hour ahead, which a wrong clock recorded
   */
  touch(id: ApiKeyId, at: Instant, unlessSince: Instant): Promise<void>;

  /**
   * Drops keys that were revoked before an instant; returns how many: fewer than `limit` only when none is left.
   * @promise api-key-store/purge: exactly keys that were revoked earlier are removed, at most the limit, except ensured ones and the oldest, so that no later key is the first
   */
  purge(revokedBefore: Instant, limit: number): Promise<number>;
}
