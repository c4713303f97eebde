import { type Instant, type Role, stateOf, toRfc3339 } from '@pinfold/core';
import { type PublicUrl, sharedUrl } from '@pinfold/http';

/** The JSON of a role. */
export interface Pin {
  readonly id: string;
  readonly title: string | null;
  readonly state: 'published' | 'expired' | 'deleted';
  readonly shared_url: string;
  readonly password_protected: boolean;
  readonly pinned: boolean;
  readonly published_at: string;
  readonly expires_at: string | null;
  readonly deleted_at: string | null;
  readonly file_count: number;
  readonly size: number;
  readonly original_filename: string;
}

/**
 * Writes a role as it is at `now`.
 *
 * @example
 * import type { Clock, Role } from '@pinfold/core';
 * import { pinOf, publicUrl } from '@pinfold/http-express';
 *
 * declare const role: Role;
 * declare const clock: Clock;
 *
 * const pin = pinOf(role, publicUrl('https://pages.example'), clock.now());
 */
export function pinOf(role: Role, publicUrl: PublicUrl, now: Instant): Pin {
  return {
    id: role.id,
    title: role.title,
    state: stateOf(role, now),
    shared_url: sharedUrl(publicUrl, role.id),
    password_protected: role.passwordHash !== null,
    pinned: role.pinned,
    published_at: toRfc3339(role.publishedAt),
    expires_at: role.expiresAt === null ? null : toRfc3339(role.expiresAt),
    deleted_at: role.deletedAt === null ? null : toRfc3339(role.deletedAt),
    file_count: role.fileCount,
    size: role.size,
    original_filename: role.originalFilename,
  };
}
