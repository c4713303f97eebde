import { type ArchiveId, archiveCreatedAt } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { ComparedWindow } from '../domain/reconciliation.ts';
import type { ArchiveStorage } from '../ports/archive-storage.ts';
import type { RoleStore } from '../ports/role-store.ts';
import { AT_ONCE, allOf } from './all-settled.ts';

interface ComparedPorts {
  readonly roles: RoleStore;
  readonly archives: ArchiveStorage;
}

/** Which window is compared. */
export interface WindowRequest {
  /** The window begins behind this id. */
  readonly after: ArchiveId | undefined;
  /** Only archives made before it are judged: a younger one may belong to a publication under way. */
  readonly createdBefore: Instant;
  /** So many missing archives are news. */
  readonly missing: number;
  readonly signal: AbortSignal | undefined;
}

/** The most ids of one window, on each side. */
const PAGE = 1_000;

/**
 * Compares storage and records side by side, as far as both gave their ids: none of what they gave is beyond the window,
 * and nothing is left out of it. Storage is listed first and the records are asked then, so that what was committed in
 * between is known to both. Without old archives behind `after` there is no window.
 */
export async function compareWindow(
  ports: ComparedPorts,
  request: WindowRequest,
): Promise<ComparedWindow | undefined> {
  const { after, createdBefore, signal } = request;
  // Ids begin with their instant, so behind the first young one all are young.
  const isOld = (id: ArchiveId): boolean => archiveCreatedAt(id) < createdBefore;
  const listed = (await ports.archives.list(after, PAGE, signal)).filter(isOld);
  const recorded = (await ports.roles.listArchives(after, PAGE)).filter(isOld);
  const upTo = nearer(listed.at(-1), recorded.at(-1));
  if (upTo === undefined) return undefined;
  const stored = new Set(listed.filter((id) => id <= upTo));
  const named = new Set(recorded.filter((id) => id <= upTo));
  const absent = [...named].filter((id) => !stored.has(id)).slice(0, request.missing);
  return {
    upTo,
    compared: stored.size,
    orphans: [...stored].filter((id) => !named.has(id)),
    missing: await stillMissing(ports, absent, signal),
  };
}

/** The id that comes first; a side that gave none has nothing more. */
function nearer(one: ArchiveId | undefined, other: ArchiveId | undefined): ArchiveId | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

/** Looks once more: a cleanup elsewhere removes an archive first, and its record names it no longer a moment later. */
async function stillMissing(
  { roles, archives }: ComparedPorts,
  suspects: readonly ArchiveId[],
  signal: AbortSignal | undefined,
): Promise<readonly ArchiveId[]> {
  const gone: ArchiveId[] = [];
  for (let from = 0; from < suspects.length; from += AT_ONCE) {
    signal?.throwIfAborted();
    const batch = suspects.slice(from, from + AT_ONCE);
    const first = await allOf(batch, (id) => archives.read(id, 0, 1, signal));
    gone.push(...batch.filter((_, n) => first[n] === undefined));
  }
  const named = gone.length === 0 ? new Set() : await roles.whichAreNamed(gone);
  return gone.filter((id) => named.has(id));
}
