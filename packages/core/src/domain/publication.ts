import type { Filename, Sha256 } from './idempotency.ts';
import type { AccountId, ArchiveId, RoleId } from './identity.ts';
import type { Instant } from './instant.ts';
import { type Generation, type Role, type RoleState, stateOf } from './role.ts';
import type { Title } from './title.ts';

/**
 * A publication as use cases answer it: without the password's hash, the archive's id and the Idempotency-Key, so that
 * it may be shown to everyone in its account. Instants are milliseconds since 1970, which `new Date(…)` takes.
 */
export interface Publication {
  /** The last segment of the shared URL. */
  readonly id: RoleId;
  readonly account: AccountId;
  /** The state at the moment of the answer. */
  readonly state: RoleState;
  /** Where viewers open it; without an origin where the use cases do not know the public URL. */
  readonly sharedUrl: string;
  readonly title: Title | null;
  readonly originalFilename: Filename;
  /** Files of the site; folders and what operating systems add are not counted. */
  readonly fileCount: number;
  /** Bytes of those files, expanded. */
  readonly size: number;
  /** Bytes of the ZIP. */
  readonly archiveBytes: number;
  /** SHA-256 of the ZIP. */
  readonly sha256: Sha256;
  readonly publishedAt: Instant;
  /** Null while pinned: a pinned publication does not expire. */
  readonly expiresAt: Instant | null;
  readonly deletedAt: Instant | null;
  readonly pinned: boolean;
  readonly passwordProtected: boolean;
  /** Counts how often all viewers were cut off. A change of what was seen compares it. */
  readonly generation: Generation;
}

/** Keeps the archive's id in a private field: the content is opened by it, and no serializer sees it. */
class PublishedRole implements Publication {
  readonly #archive: ArchiveId;
  readonly id: RoleId;
  readonly account: AccountId;
  readonly state: RoleState;
  readonly sharedUrl: string;
  readonly title: Title | null;
  readonly originalFilename: Filename;
  readonly fileCount: number;
  readonly size: number;
  readonly archiveBytes: number;
  readonly sha256: Sha256;
  readonly publishedAt: Instant;
  readonly expiresAt: Instant | null;
  readonly deletedAt: Instant | null;
  readonly pinned: boolean;
  readonly passwordProtected: boolean;
  readonly generation: Generation;

  constructor(role: Role, now: Instant, publicUrl: string) {
    this.#archive = role.archive;
    this.id = role.id;
    this.account = role.account;
    this.state = stateOf(role, now);
    this.sharedUrl = sharedUrlBelow(publicUrl, role.id);
    this.title = role.title;
    this.originalFilename = role.originalFilename;
    this.fileCount = role.fileCount;
    this.size = role.size;
    this.archiveBytes = role.archiveBytes;
    this.sha256 = role.sha256;
    this.publishedAt = role.publishedAt;
    this.expiresAt = role.expiresAt;
    this.deletedAt = role.deletedAt;
    this.pinned = role.pinned;
    this.passwordProtected = role.passwordHash !== null;
    this.generation = role.generation;
  }

  static archiveOf(publication: object): ArchiveId | undefined {
    return #archive in publication ? publication.#archive : undefined;
  }
}

/**
 * The publication of a record at a moment.
 *
 * @example
 * import type { Instant, Role } from '@pinfold/core';
 * import { publicationOf } from '@pinfold/core/adapter';
 *
 * declare const role: Role;
 * declare const now: Instant;
 *
 * console.log(publicationOf(role, now, 'https://pages.example').sharedUrl);
 */
export function publicationOf(role: Role, now: Instant, publicUrl: string): Publication {
  return new PublishedRole(role, now, publicUrl);
}

/** The archive of a publication that use cases answered; of a copy of one it is unknown. */
export function archiveOf(publication: object): ArchiveId | undefined {
  return PublishedRole.archiveOf(publication);
}

/**
 * The shared URL of a publication below a public URL, which has no slash at its end.
 *
 * @example
 * import type { RoleId } from '@pinfold/core';
 * import { sharedUrlBelow } from '@pinfold/core/adapter';
 *
 * declare const id: RoleId;
 *
 * console.log(sharedUrlBelow('https://pages.example', id));
 */
export function sharedUrlBelow(publicUrl: string, id: RoleId): string {
  return `${publicUrl}/s/${id}`;
}
