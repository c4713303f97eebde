import { decodeManifest, type Manifest } from '../domain/manifest.ts';
import type { Role } from '../domain/role.ts';
import { Fault } from '../fault.ts';
import type { ArchiveStorage } from '../ports/archive-storage.ts';
import type { RoleStore } from '../ports/role-store.ts';
import type { Enter } from './enter.ts';

/** The role ended between the look at its state and the look at its content. */
export interface Ended {
  readonly kind: 'unknown' | 'expired';
}

/** Opens the content of published roles. */
export class Open {
  readonly #roles: RoleStore;
  readonly #archives: ArchiveStorage;
  readonly #enter: Enter;

  constructor(ports: { readonly roles: RoleStore; readonly archives: ArchiveStorage }, enter: Enter) {
    this.#roles = ports.roles;
    this.#archives = ports.archives;
    this.#enter = enter;
  }

  /**
   * The files of a role's site. They never change, so a caller may keep them by archive id; an absence it must not.
   *
   * @throws Fault `archive_missing` when a published role has none; `store_unavailable`; `store_corrupt`.
   */
  async manifest(
    role: Role,
    signal?: AbortSignal,
  ): Promise<{ readonly kind: 'manifest'; readonly manifest: Manifest } | Ended> {
    const encoded = await this.#roles.loadManifest(role.archive, signal);
    if (encoded === undefined) return await this.#ended(role, signal);
    return { kind: 'manifest', manifest: decodeManifest(encoded) };
  }

  /**
   * Bytes of a role's archive: at most 1 MiB, as they lie there.
   *
   * @throws Fault `archive_missing` when a published role's archive is not there; `storage_unavailable`.
   */
  async read(
    role: Role,
    from: number,
    length: number,
    signal?: AbortSignal,
  ): Promise<{ readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> } | Ended> {
    const bytes = await this.#archives.read(role.archive, from, length, signal);
    return bytes === undefined ? await this.#ended(role, signal) : { kind: 'bytes', bytes };
  }

  async #ended(role: Role, signal: AbortSignal | undefined): Promise<Ended> {
    const visit = await this.#enter.visit(role.id, signal);
    if (visit.kind !== 'published') return visit;
    throw new Fault('archive_missing', 'the archive of a published role is not there');
  }
}
