import type { HistoryEvent } from '../domain/history.ts';
import type { RoleId, Sha256 } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { Role } from '../domain/role.ts';
import type { Takedown, TakedownCursor } from '../domain/takedown.ts';
import type { CleanupRequest, CleanupTask } from './role-cleanup.ts';
import type { Versioned } from './role-store.ts';

/** A query for takedowns in force, newest first by (at, id, sha256). An undefined member does not filter. */
export interface TakedownQuery {
  readonly sha256: Sha256 | undefined;
  readonly after: TakedownCursor | undefined;
  /** At least 1. */
  readonly limit: number;
}

/** A query for publications of an archive that are in service at an instant, in order of id. */
export interface CopyQuery {
  readonly sha256: Sha256;
  readonly now: Instant;
  readonly after: RoleId | undefined;
  /** At least 1. */
  readonly limit: number;
}

/** A request to remove the archive of a role that was taken down. */
export interface PurgeClaim extends Pick<CleanupRequest, 'token' | 'until'> {
  readonly role: RoleId;
}

/**
 * Stores takedowns, and so the archives that may not be published. It shares its database with the store of roles, which
 * checks them at each publication. Requests bring the time; a write stores its events in the same step.
 */
export interface TakedownStore {
  /**
   * Forbids an archive and stores the stopped role and the events, in one step; without the role if it is unknown.
   * @promise takedown-store/whole: every peer sees stop, ban and events together, or none of them
   * @promise takedown-store/conflict: a takedown of a role that was changed since it was loaded is a conflict; so is a takedown without a role if its archive is already forbidden under that id; both change nothing
   * @promise takedown-store/race: of many concurrent calls exactly one is stored, with only its event
   * @promise takedown-store/again: a second takedown of a forbidden archive changes nothing; a takedown of a lifted one forbids it again
   * @promise takedown-store/forbids-reserve: a forbidden archive is not reserved, for any account or by any peer, whatever rate and quota say, and the key stays free; a key in progress, complete or with another fingerprint returns that state
   * @promise takedown-store/forbids-commit: no account or peer can commit a forbidden archive, and the lease still holds; of commits concurrent with a takedown, only roles in the takedown's list of copies are in service
   */
  takeDown(
    takedown: Takedown,
    stopped: Versioned<Role> | undefined,
    events: readonly HistoryEvent[],
  ): Promise<{ readonly kind: 'taken_down' | 'conflict' }>;

  /**
   * @promise takedown-store/lift: a lifted takedown forbids nothing and is not listed, but is still found by its role, which does not change
   * @promise takedown-store/lift-of-all: an archive is forbidden until the last of its takedowns is lifted
   * @promise takedown-store/lift-once: of many concurrent calls one lifts, and only its events are stored
   */
  lift(
    takedown: Pick<Takedown, 'id' | 'sha256'>,
    at: Instant,
    events: readonly HistoryEvent[],
  ): Promise<{ readonly kind: 'lifted' | 'conflict' }>;

  /** @promise takedown-store/forbidden: exactly the archives that any peer forbade last are forbidden */
  isForbidden(sha256: Sha256): Promise<boolean>;

  /**
   * Finds the takedowns of some roles, even lifted ones, in any order.
   * @promise takedown-store/of-roles: exactly the takedowns of the given ids are returned, with every field
   */
  of(ids: readonly RoleId[]): Promise<readonly Takedown[]>;

  /** @promise takedown-store/list: pages after a cursor have every takedown that was not lifted exactly once, newest first by (at, id, sha256), even of one instant; a list for an archive has only its own */
  list(query: TakedownQuery): Promise<readonly Takedown[]>;

  /** @promise takedown-store/copies: pages after an id give every role in service at the instant, of any account, exactly once, in order */
  copies(query: CopyQuery): Promise<readonly RoleId[]>;

  /**
   * Claims the archive of a stopped role for removal; `undefined` if it is gone. It is settled like any claim.
   * @promise takedown-store/claim-purge: a stored archive is claimed at once, even from another claim, which is lost; an archive that was removed, or whose role is unknown or not stopped, cannot be claimed
   * @promise takedown-store/purge-without-grace: cleanups claim and count an archive that was claimed this way and not removed, from the claim's end or the retry's instant on, however recently its role ended
   */
  claimPurge(claim: PurgeClaim): Promise<CleanupTask | undefined>;
}
