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
 * @promise account-store/unreachable: while the database does not answer, every call rejects with the fault store_unavailable and its cause
 * @promise account-store/lets-go: a call leaves nothing behind when it has ended: no listener on its signal, no open file or connection
 * @promise account-store/same-question: a repeated query sees what any peer has changed, and earlier results do not change
 * @promise account-store/revoked-key: once a revocation is acknowledged, every peer refuses that key as unauthorized for reserving, committing or saving a role, creating a key and beginning a session; nothing changes, and the lease remains valid; other keys, even unknown ones, are not refused
 * @promise account-store/ended-session: once the end of a session is acknowledged, every peer refuses changes with it in the same way
 */
export interface AccountStore {
  /**
   * @promise account-store/load: an account is loaded as any peer saved it last, with every field; an unknown name is undefined, and names are compared exactly
   * @promise account-store/load-aborted: an aborted signal rejects with its reason
   * @promise account-store/made: an account exists, without limits or block, from its first key, publication or session on, even if many of those are concurrent
   */
  load(name: AccountId, signal?: AbortSignal): Promise<Versioned<Account> | undefined>;

  /**
   * Stores a changed account with its events; creates a missing one. Publications write to it without changing its version.
   * @promise account-store/save-lost-race: a save with an old version, or with none for a stored account, is a conflict and changes nothing
   * @promise account-store/save-race: of many concurrent saves of one version exactly one is stored
   * @promise account-store/limits-precede: once saved, the limits of an account override those of its publications for every peer, and `off` means none
   * @promise account-store/blocked: once an account is blocked, every peer refuses its reservations, commits and replays until it is unblocked
   * @promise account-store/blocked-changes: once an account is blocked, every peer refuses to save its roles and to create keys for it, except with the authority of the operator; a refusal changes nothing
   * @promise account-store/with-roles: every peer loads a role with the saved generation of its account, and with whether a block hides its sites
   */
  save(
    account: AccountChange,
    loadedAt: Version | undefined,
    events: readonly HistoryEvent[],
  ): Promise<{ readonly kind: 'saved' | 'conflict' }>;

  /**
   * Lists accounts in order of name, by code point, after `after`, at most `limit`.
   * @promise account-store/list: pages after a name, up to one that is not full, have every account exactly once, in order
   * @promise account-store/list-many: more than a thousand accounts are listed whole
   */
  list(after: AccountId | undefined, limit: number): Promise<readonly Account[]>;

  /** @promise account-store/used: publications in service are counted until their end, with the bytes of their archives, and so are those published in the 24 hours before */
  usedBy(name: AccountId, now: Instant): Promise<AccountUse>;
}
