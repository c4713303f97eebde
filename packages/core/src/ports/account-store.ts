import type { Account, AccountUse } from '../domain/account.ts';
import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { Version, Versioned } from './role-store.ts';

/** The members of an account that administrators change. */
export type AccountChange = Pick<Account, 'name' | 'limits' | 'blocked' | 'generation'>;

/**
 * Stores accounts. An account exists from its first key, publication, sign-in or change on: the stores of these create it in
 * the same transaction. A write stores its events in the same transaction; a store without a history may drop them.
 *
 * @promise account-store/unreachable: while the database does not answer, every call rejects with the fault store_unavailable and what caused it
 * @promise account-store/lets-go: of a call that has ended nothing is left: no listener on its signal, no open file or connection
 * @promise account-store/same-question: the same question asked again is answered by what any peer changed meanwhile, and what was answered before stays as it was
 * @promise account-store/revoked-key: once a revocation is acknowledged, no peer reserves a key, commits or saves a role, creates a key or begins a session with that key: it is refused as unauthorized and changes nothing, and the lease still holds; other keys, unknown ones among them, change nothing
 * @promise account-store/ended-session: once the end of a session is acknowledged, no peer changes anything with it, in the same way
 */
export interface AccountStore {
  /**
   * @promise account-store/load: what any peer saved last is loaded, every field as it was saved; an unknown name is undefined, and names are compared exactly
   * @promise account-store/load-aborted: an aborted signal rejects with its reason
   * @promise account-store/made: an account is known, without limits or block, from its first key, publication or session on, and of many of those at once
   */
  load(name: AccountId, signal?: AbortSignal): Promise<Versioned<Account> | undefined>;

  /**
   * Stores a changed account with its events; creates a missing one. Publications write to it without changing its version.
   * @promise account-store/save-lost-race: a version that is no longer the newest, and none when there is one, is a conflict, and changes nothing
   * @promise account-store/save-race: of many saves of one version at once exactly one is stored
   * @promise account-store/limits-precede: an account's own limits come before those of its publications, `off` being none, from the save on, by every peer
   * @promise account-store/blocked: a blocked account neither reserves nor commits, nor is a replay answered, from the save on, by any peer, until it is unblocked
   * @promise account-store/blocked-changes: of a blocked account no role is saved and no key is created, from the save on, by any peer, but with the operator's authority; what is refused changes nothing
   * @promise account-store/with-roles: each of its roles is loaded with its generation, and with whether its block hides its sites, from the save on, by every peer
   */
  save(
    account: AccountChange,
    loadedAt: Version | undefined,
    events: readonly HistoryEvent[],
  ): Promise<{ readonly kind: 'saved' } | { readonly kind: 'conflict' }>;

  /**
   * Lists accounts in order of name, by code point, after `after`, at most `limit`.
   * @promise account-store/list: pages after a name, up to one that is not full, give every account exactly once, in order
   * @promise account-store/list-many: more than a thousand accounts are listed whole
   */
  list(after: AccountId | undefined, limit: number): Promise<readonly Account[]>;

  /** @promise account-store/used: publications in service are counted up to the instant of their end, with the bytes of their archives, and those published in the 24 hours before */
  usedBy(name: AccountId, now: Instant): Promise<AccountUse>;
}
