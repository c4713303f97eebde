import { OPERATOR } from '../domain/actor.ts';
import { checkArchiveAccess, type Publication, type Role } from '../domain/role.ts';
import { Fault } from '../fault.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { loadFor, NOT_FOUND, type RoleRequest } from './changing.ts';
import type { ShowPublication } from './show-publication.ts';

/** Why the ZIP of a publication cannot be read. */
export type ArchiveRefusal = Refusal<'not_found' | 'invalid_state'>;

/** The ZIP of a publication, as it was uploaded. */
export interface OpenedArchive {
  readonly kind: 'opened';
  readonly publication: Publication;
  /** Bytes of the ZIP. */
  readonly size: number;

  /**
   * Reads `length` bytes from `from` on, inside the ZIP: at most 1 MiB.
   *
   * @throws Fault `archive_missing` when it is gone though the publication names it; `storage_unavailable`.
   */
  read(
    from: number,
    length: number,
    signal?: AbortSignal,
  ): Promise<{ readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> } | ArchiveRefusal>;

  /** Checks by the newest state whether it may still be read. Call it before each further MiB. */
  refusal(signal?: AbortSignal): Promise<ArchiveRefusal | undefined>;
}

/** The opened ZIP, or the reason why it cannot be read. */
export type OpenArchiveOutcome = OpenedArchive | ArchiveRefusal;

/** Reads the original ZIPs of publications. */
export interface ArchiveReading {
  /**
   * Opens the ZIP of a publication while it is stored, even of an expired one. Only the operator opens that of a stopped
   * one. Neither a block nor read-only mode prevents it.
   *
   * @throws Fault as `OpenedArchive.read` does; `store_corrupt` when the ZIP is shorter or longer than it was.
   *
   * @example
   * import type { UseCases } from '@pinfold/core';
   *
   * declare const useCases: UseCases, id: string;
   * const outcome = await useCases.openArchive({ by: 'ada', id });
   * if (outcome.kind === 'opened') console.log(outcome.size);
   */
  openArchive(request: RoleRequest): Promise<OpenArchiveOutcome>;
}

export function archiveReading(
  { roles, archives }: Pick<AllPorts, 'roles' | 'archives'>,
  show: ShowPublication,
): ArchiveReading {
  const loadReadable = async (request: RoleRequest): Promise<Role | ArchiveRefusal> => {
    const role = (await loadFor(roles, request))?.value;
    if (role === undefined) return NOT_FOUND;
    return checkArchiveAccess(role, true, request.by === OPERATOR) ?? role;
  };
  const loadWithArchive = async (request: RoleRequest): Promise<Role | ArchiveRefusal> => {
    const role = await loadReadable(request);
    if (isRefusal(role)) return role;
    const isNamed = (await roles.whichAreNamed([role.archive])).has(role.archive);
    return checkArchiveAccess(role, isNamed, request.by === OPERATOR) ?? role;
  };
  /** Explains why the archive is not in storage: a refusal if it was removed meanwhile; throws if it is lost. */
  const explainMissing = async (request: RoleRequest): Promise<ArchiveRefusal> => {
    const role = await loadWithArchive(request);
    if (isRefusal(role)) return role;
    throw new Fault('archive_missing', 'the archive of a role is missing');
  };
  return {
    async openArchive(request) {
      const role = await loadWithArchive(request);
      if (isRefusal(role)) return role;
      const { archive, archiveBytes } = role;
      const size = await archives.size(archive, request.signal);
      if (size === undefined) return await explainMissing(request);
      if (size !== archiveBytes) {
        throw new Fault('store_corrupt', 'an archive is not as long as its role says');
      }
      return {
        kind: 'opened',
        publication: show(role),
        size,
        read: async (from, length, signal) => {
          const bytes = await archives.read(archive, from, length, signal);
          return bytes === undefined ? await explainMissing(request) : { kind: 'bytes', bytes };
        },
        refusal: async (signal) => {
          const current = await loadReadable({ ...request, ...(signal && { signal }) });
          return isRefusal(current) ? current : undefined;
        },
      };
    },
  };
}
