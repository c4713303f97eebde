import { decodeManifest, type Manifest } from '../domain/manifest.ts';
import type { Role } from '../domain/role.ts';
import { Fault } from '../fault.ts';
import type { ArchiveStorage } from '../ports/archive-storage.ts';
import type { RoleStore } from '../ports/role-store.ts';
import type { Entering } from './entering.ts';

/** The role ended between the look at its state and the look at its content. */
export interface Ended {
  readonly kind: 'unknown' | 'expired';
}

/** Opens the content of published roles. */
export interface Open {
  /**
   * The files of a role's site. They never change, so a caller may keep them by archive id; an absence it must not.
   *
   * @throws Fault `archive_missing` when a published role has none; `store_unavailable`; `store_corrupt`.
   */
  manifest(
    role: Role,
    signal?: AbortSignal,
  ): Promise<{ readonly kind: 'manifest'; readonly manifest: Manifest } | Ended>;

  /**
   * Bytes of a role's archive: at most 1 MiB, as they lie there.
   *
   * @throws Fault `archive_missing` when a published role's archive is not there; `storage_unavailable`.
   */
  read(
    role: Role,
    from: number,
    length: number,
    signal?: AbortSignal,
  ): Promise<{ readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> } | Ended>;
}

export function opening(
  { roles, archives }: { readonly roles: RoleStore; readonly archives: ArchiveStorage },
  visit: Entering['visit'],
): Open {
  async function ended(role: Role, signal: AbortSignal | undefined): Promise<Ended> {
    const now = await visit(role.id, signal);
    if (now.kind !== 'published') return now;
    throw new Fault('archive_missing', 'the archive of a role is missing');
  }
  return {
    async manifest(role, signal) {
      const encoded = await roles.loadManifest(role.archive, signal);
      if (encoded === undefined) return await ended(role, signal);
      return { kind: 'manifest', manifest: decodeManifest(encoded) };
    },
    async read(role, from, length, signal) {
      const bytes = await archives.read(role.archive, from, length, signal);
      return bytes === undefined ? await ended(role, signal) : { kind: 'bytes', bytes };
    },
  };
}
