import type { ArchiveId } from '../domain/identity.ts';
import { archiveOf, type Publication } from '../domain/role.ts';
import { decodeManifest, type Manifest } from '../domain/site.ts';
import { Fault } from '../fault.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { Entering } from './viewer-access.ts';

/** The publication has ended since the caller read its state. */
export interface Ended {
  readonly kind: 'unknown' | 'expired';
}

/** A publication from a use case, or only its id, for which the role is read again. */
type Opened = Pick<Publication, 'id'>;

/** Opens the content of publications. */
export interface Open {
  /**
   * Reads the files of a publication's site. They never change, so a caller may cache them by id, but not their absence.
   *
   * @throws Fault `archive_missing` when a published role has none; `store_unavailable`; `store_corrupt`.
   */
  manifest(
    publication: Opened,
    signal?: AbortSignal,
  ): Promise<{ readonly kind: 'manifest'; readonly manifest: Manifest } | Ended>;

  /**
   * Reads a range of the bytes of a publication's archive, at most 1 MiB.
   *
   * @throws Fault `archive_missing` when a published role's archive is missing; `storage_unavailable`.
   */
  read(
    publication: Opened,
    from: number,
    length: number,
    signal?: AbortSignal,
  ): Promise<{ readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> } | Ended>;
}

export function opening(
  { roles, archives }: Pick<AllPorts, 'roles' | 'archives'>,
  visit: Entering['visit'],
): Open {
  const findArchive = async (publication: Opened, signal?: AbortSignal): Promise<ArchiveId | undefined> =>
    archiveOf(publication) ?? (await roles.load(publication.id, signal))?.value.archive;

  async function explainMissing({ id }: Opened, signal: AbortSignal | undefined): Promise<Ended> {
    const current = await visit(id, signal);
    if (current.kind !== 'published') return current;
    throw new Fault('archive_missing', 'the archive of a role is missing');
  }
  return {
    async manifest(publication, signal) {
      const archive = await findArchive(publication, signal);
      const encoded = archive && (await roles.loadManifest(archive, signal));
      if (encoded === undefined) return await explainMissing(publication, signal);
      return { kind: 'manifest', manifest: decodeManifest(encoded) };
    },
    async read(publication, from, length, signal) {
      const archive = await findArchive(publication, signal);
      const bytes = archive && (await archives.read(archive, from, length, signal));
      return bytes === undefined ? await explainMissing(publication, signal) : { kind: 'bytes', bytes };
    },
  };
}
