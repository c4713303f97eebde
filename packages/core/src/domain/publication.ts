import type { ArchiveId, RoleId } from './identity.ts';
import type { Instant } from './instant.ts';
import { type Role, type RoleState, stateOf } from './role.ts';

/**
 * A publication as use cases answer it: without the password's hash, the archive's id and the Idempotency-Key, so that
 * it may be shown to everyone in its account. Instants are milliseconds since 1970, which `new Date(…)` takes.
 */
export interface Publication extends Omit<Role, 'archive' | 'idempotencyKey' | 'passwordHash'> {
  /** At the moment of the answer. */
  readonly state: RoleState;
  /** The URL for viewers; without an origin if the use cases do not know the public URL. */
  readonly sharedUrl: string;
  readonly passwordProtected: boolean;
}

function itself(object: object): object {
  return object;
}

/** Holds a publication's archive in a private field, unseen by serializers and copies; a WeakMap costs views more. */
class Archived extends (itself as unknown as new (object: object) => object) {
  readonly #archive: ArchiveId;

  constructor(publication: object, archive: ArchiveId) {
    super(publication);
    this.#archive = archive;
  }

  static of(publication: object): ArchiveId | undefined {
    return #archive in publication ? publication.#archive : undefined;
  }
}

export function publicationOf(role: Role, now: Instant, publicUrl: string): Publication {
  // Member by member: what a role holds is not shown unless it is named here, and every view takes this path.
  const publication: Publication = {
    id: role.id,
    account: role.account,
    state: stateOf(role, now),
    sharedUrl: sharedUrlBelow(publicUrl, role.id),
    title: role.title,
    originalFilename: role.originalFilename,
    fileCount: role.fileCount,
    size: role.size,
    archiveBytes: role.archiveBytes,
    sha256: role.sha256,
    publishedAt: role.publishedAt,
    expiresAt: role.expiresAt,
    deletedAt: role.deletedAt,
    pinned: role.pinned,
    passwordProtected: role.passwordHash !== null,
    generation: role.generation,
  };
  new Archived(publication, role.archive);
  return publication;
}

/** The archive of a publication that use cases answered; of a copy of one it is unknown. */
export function archiveOf(publication: object): ArchiveId | undefined {
  return Archived.of(publication);
}

/** The shared URL of a publication below a public URL, which has no slash at its end. */
export function sharedUrlBelow(publicUrl: string, id: RoleId): string {
  return `${publicUrl}/s/${id}`;
}
