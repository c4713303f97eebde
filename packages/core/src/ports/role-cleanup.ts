import type { RoleId, Token } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { Role } from '../domain/role.ts';

/** Which archives a claim takes for removal. */
export interface CleanupRequest {
  readonly now: Instant;
  /** Only roles deleted or expired at this instant or earlier. */
  readonly endedBefore: Instant;
  readonly token: Token;
  /** From when another claim may take the roles over. */
  readonly until: Instant;
  readonly limit: number;
}

/** The archives and records to count for a cleanup. */
export interface CleanupCountRequest extends Pick<CleanupRequest, 'now' | 'endedBefore'> {
  /** Reservations begun before this instant are counted. */
  readonly begunBefore: Instant;
}

/** Which ended roles to name. */
export type NextForCleanup = Pick<CleanupRequest, 'now' | 'endedBefore' | 'limit'>;

/** How much there is to remove. */
export interface CleanupCount {
  /** Ended roles that have their archive and are not claimed. */
  readonly archives: number;
  readonly reservations: number;
}

/** Which roles with an archive to count. */
export interface StoredWindow {
  readonly now: Instant;
  /** The last role that was counted before; undefined at first. */
  readonly after: RoleId | undefined;
  /** The most roles that are read. */
  readonly limit: number;
}

/** Publications in service that have their archive, and the bytes of every archive that records name. */
export interface StoredCount {
  readonly pinned: number;
  readonly unpinned: number;
  readonly bytes: number;
}

/** One archive to remove, claimed. */
export interface CleanupTask extends Pick<Role, 'account' | 'archive' | 'idempotencyKey'> {
  readonly role: RoleId;
  readonly token: Token;
  /** How often removing it failed before. */
  readonly failures: number;
}

/** Whether an archive was removed, or when to try again. */
export type CleanupOutcome =
  | { readonly kind: 'removed' }
  | { readonly kind: 'failed'; readonly retryAt: Instant };
