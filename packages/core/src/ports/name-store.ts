import type { Credential } from '../domain/actor.ts';
import type { Unchangeable } from '../domain/admission.ts';
import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId, RoleId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { NameRecord, NameToken, PinName, ShownName } from '../domain/name.ts';
import type { NameQuotaExceeded, Refusal } from '../refusal.ts';
import type { LoadedRole } from './role-store.ts';

/** A name of an account to change. */
export interface NamePlace {
  readonly account: AccountId;
  readonly name: PinName;
  /** The caller's key or session, which the transaction of the change checks. */
  readonly credential?: Credential;
}

/** A name to point at a role. */
export interface NameChange extends NamePlace {
  /** The token for a new name. */
  readonly token: NameToken;
  readonly role: RoleId;
  /** The instant at which the role must be in service. */
  readonly now: Instant;
  /** The maximum number of names of the account; null: no limit. */
  readonly limit: number | null;
}

/** A role with the name that shows it. */
export interface NamedRole {
  readonly name: NameRecord;
  readonly role: LoadedRole;
}

/**
 * Stores names of publications. `RoleStore.commit` changes them, too; all changes of an account's names run one after the
 * other. A write stores its events in the same transaction.
 *
 * @promise name-store/with-publication: the commit of a publication points its name at the new role, for every peer, with the given token if the name is new and its own if not; a commit that is refused, lost or repeated changes no name
 * @promise name-store/publication-quota: reserve and commit refuse a publication to a new name if the account has as many names as the limit; an existing name passes; concurrent publications never exceed the limit, and a refusal stores nothing
 * @promise name-store/publication-warnings: a commit warns if its name showed a protected role and the new one is not protected, and if the account has nine tenths of the limit; these warnings come before those of the archive, are returned by the commit and stored for a replay, at most 20 in all
 * @promise name-store/last-wins: after concurrent publications and changes over all peers, the name shows the role of the last one, and each leaves its event
 */
export interface NameStore {
  /**
   * @promise name-store/find: a name is found as any peer stored it last, with every field; names and accounts are compared exactly, and an unknown name is undefined
   * @promise name-store/shown-role: every call that returns a name returns the current ends of its role
   */
  find(account: AccountId, name: PinName): Promise<ShownName | undefined>;

  /**
   * Finds the name of a token with its role, read at one instant.
   * @promise name-store/resolve: a token resolves to the newest role that its name shows, as loaded by its id, in any state; an unknown token is undefined, and tokens are compared exactly
   * @promise name-store/resolve-aborted: an aborted signal rejects with its reason
   */
  resolve(token: NameToken, signal?: AbortSignal): Promise<NamedRole | undefined>;

  /**
   * Lists an account's names by code point, after `after`, at most `limit`.
   * @promise name-store/list: pages after a name, up to one that is not full, have every name of the account exactly once, in order, and none of another
   * @promise name-store/list-many: more than a thousand names are listed whole
   */
  list(account: AccountId, after: PinName | undefined, limit: number): Promise<readonly ShownName[]>;

  /**
   * @promise name-store/previous: the previous role of a name is null before its first move, and then the role that it showed before; pointing it at the same role again changes nothing
   * @promise name-store/set: a new name gets the given token, and an existing name keeps its own; every peer sees it show the role from then on, and the event is stored, later than the last event of that role
   * @promise name-store/set-unchanged: a name that shows the role already does not change, and no event is stored
   * @promise name-store/set-role: a role that is unknown or of another account is not found, and one that ended by the instant is refused with its state; nothing changes
   * @promise name-store/set-stopped: once a stop of a role is acknowledged, every peer refuses to point a name at it
   * @promise name-store/set-quota: concurrent calls create as many new names as the limit allows; names of other accounts do not count, and an existing name always moves
   * @promise name-store/set-refused: a change for a blocked account, in read-only mode or with an ended credential is refused and changes nothing
   */
  set(
    change: NameChange,
    events: readonly HistoryEvent[],
  ): Promise<
    | ({ readonly kind: 'created' | 'moved' | 'unchanged' } & ShownName)
    | Refusal<'not_found' | 'invalid_state' | 'unauthorized'>
    | NameQuotaExceeded
    | Unchangeable
  >;

  /**
   * @promise name-store/delete: no peer finds, lists or resolves a deleted name, its place in the quota is free, and the event is stored with the role that it showed, later than the last of that role; an unknown name leaves no event, and of many concurrent calls one deletes
   * @promise name-store/delete-refused: a deletion for a blocked account, in read-only mode or with an ended credential is refused and changes nothing
   */
  delete(
    place: NamePlace,
    events: readonly HistoryEvent[],
  ): Promise<{ readonly kind: 'deleted' | 'unknown' } | Refusal<'unauthorized'> | Unchangeable>;
}
