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
 * @promise api-key-store/unreachable: while the database does not answer, every call rejects with the fault store_unavailable and what caused it
 * @promise api-key-store/lets-go: of a call that has ended nothing is left: no listener on its signal, no open file or connection
 * @promise api-key-store/same-question: the same question asked again is answered by what any peer changed meanwhile, and what was answered before stays as it was
 */
export interface ApiKeyStore {
  /**
   * Stores a new key. The default authority is `account`; the limit does not apply to `operator`. `credential` is the
   * creator's.
   * @promise api-key-store/create: a new key is there for every peer, every field as it was given
   * @promise api-key-store/create-exists: an id that is taken, also by a revoked key, stays as it is; ids are compared exactly, and of many at once one is created
   * @promise api-key-store/create-ensured: a taken id that is ensured is so from then on, in every other field as it was
   * @promise api-key-store/create-limit: of many at once as many are created as the limit leaves room for; revoked keys and those of other accounts take no room, and a refused one leaves neither key nor event
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

  /** @promise api-key-store/first: of many at once, and for ever after, exactly one is the first; any key there makes it too late */
  createFirst(
    key: ApiKey,
    events: readonly HistoryEvent[],
  ): Promise<{ readonly kind: 'created' } | { readonly kind: 'exists' }>;

  /**
   * Finds a key, even a revoked one.
   * @promise api-key-store/find-absent: an unknown id is undefined
   * @promise api-key-store/find-aborted: an aborted signal rejects with its reason
   */
  find(id: ApiKeyId, signal?: AbortSignal): Promise<ApiKey | undefined>;

  /**
   * Lists a page of keys, newest first: fewer than `limit` only at the end.
   * @promise api-key-store/list: all keys in order, ids by code unit, or exactly an account's
   * @promise api-key-store/list-pages: pages after a key, be it gone since, give every key exactly once
   * @promise api-key-store/list-many: more than a thousand keys, hundreds of them of one instant, are listed whole where the limit is as many
   */
  list(query: ApiKeyQuery): Promise<readonly ApiKey[]>;

  /** @promise api-key-store/count-live: exactly an account's keys that are not revoked count */
  countLive(account: AccountId): Promise<number>;

  /** @promise api-key-store/revoke: a revoked key is so for every peer at its next look; again, the first instant stays; an unknown one is unknown; use noted at the same moment undoes nothing */
  revoke(
    id: ApiKeyId,
    at: Instant,
    events: readonly HistoryEvent[],
  ): Promise<{ readonly kind: 'revoked' } | { readonly kind: 'unknown' }>;

  /**
   * Records that a key was used, unless that was recorded after `unlessSince`.
   * @promise api-key-store/touch: use is noted once until the instant has passed, and never moves back
   */
  touch(id: ApiKeyId, at: Instant, unlessSince: Instant): Promise<void>;

  /**
   * Drops keys that were revoked before an instant; returns how many: fewer than `limit` only when none is left.
   * @promise api-key-store/purge: exactly keys revoked earlier go, at most the limit, but neither ensured ones nor the oldest, so that no later key is the first
   */
  purge(revokedBefore: Instant, limit: number): Promise<number>;
}
