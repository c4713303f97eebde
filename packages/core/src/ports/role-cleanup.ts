import type { RoleId, Token } from '../domain/identity.ts';
import { type Duration, days, type Instant, minutes } from '../domain/instant.ts';
import type { Role } from '../domain/role.ts';

/** The time after which another process may claim the removal of an archive. */
export const CLAIM: Duration = minutes(10);
/** The longest time after which a failed removal is tried again. */
export const MAX_PAUSE: Duration = days(1);

/** A claim of archives for removal. */
export interface CleanupRequest {
  readonly now: Instant;
  /** Only roles deleted or expired at this instant or earlier. */
  readonly endedBefore: Instant;
  readonly token: Token;
  /** The instant from which another claim may take the roles over, at most {@link CLAIM} after `now`. */
  readonly until: Instant;
  readonly limit: number;
}

/** The archives and records to count for a cleanup. */
export interface CleanupCountRequest extends Pick<CleanupRequest, 'now' | 'endedBefore'> {
  /** Only reservations begun before this instant are counted. */
  readonly begunBefore: Instant;
}

/** A query for the ended roles that a cleanup would claim next. */
export type NextForCleanup = Pick<CleanupRequest, 'now' | 'endedBefore' | 'limit'>;

/** The number of archives and reservations to remove. */
export interface CleanupCount {
  /** Ended roles that have their archive and are not claimed. */
  readonly archives: number;
  readonly reservations: number;
}

/** A window of roles with an archive to count. */
export interface StoredWindow {
  readonly now: Instant;
  /** The last role of the window before; undefined for the first window. */
  readonly after: RoleId | undefined;
  /** The maximum number of roles to read. */
  readonly limit: number;
}

/** Publications in service that have their archive, and the bytes of every archive that records name. */
export interface StoredCount {
  readonly pinned: number;
  readonly unpinned: number;
  readonly bytes: number;
}

/** A claimed archive to remove. */
export interface CleanupTask extends Pick<Role, 'account' | 'archive' | 'idempotencyKey'> {
  readonly role: RoleId;
  readonly token: Token;
  /** The number of earlier failures to remove it. */
  readonly failures: number;
}

/** Whether an archive was removed, or when to try again. */
export type CleanupOutcome =
  | { readonly kind: 'removed' }
  | { readonly kind: 'failed'; readonly retryAt: Instant };
