import { type ArchiveId, archiveCreatedAt } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { ArchiveStorage } from '../ports/archive-storage.ts';
import type { RoleStore } from '../ports/role-store.ts';

/** What storage has and records name, compared. */
export interface Comparison {
  /** Archives old enough to be judged. */
  readonly old: number;
  /** Those of them that no record names. */
  readonly orphans: readonly ArchiveId[];
  /** Archives that a record names and storage does not have. */
  readonly missing: readonly ArchiveId[];
}

const PAGE = 500;

/** Lists storage first and asks the records then, so that what was committed in between is known to both. */
export async function compareArchives(
  ports: { readonly roles: RoleStore; readonly archives: ArchiveStorage },
  createdBefore: Instant,
  signal?: AbortSignal,
): Promise<Comparison> {
  const stored = await listStored(ports.archives, createdBefore, signal);
  const orphans: ArchiveId[] = [];
  for (let from = 0; from < stored.length; from += PAGE) {
    signal?.throwIfAborted();
    const page = stored.slice(from, from + PAGE);
    const named = await ports.roles.whichAreNamed(page);
    orphans.push(...page.filter((id) => !named.has(id)));
  }
  const missing = await findMissing(ports, new Set(stored), createdBefore, signal);
  return { old: stored.length, orphans, missing };
}

async function listStored(
  archives: ArchiveStorage,
  createdBefore: Instant,
  signal: AbortSignal | undefined,
): Promise<readonly ArchiveId[]> {
  const stored: ArchiveId[] = [];
  for (let last: ArchiveId | undefined; ; ) {
    const page = await archives.list(last, PAGE, signal);
    const old = page.filter((id) => archiveCreatedAt(id) < createdBefore);
    stored.push(...old);
    last = page.at(-1);
    // Ids begin with their instant, so behind the first young one all are young.
    if (page.length < PAGE || old.length < page.length) return stored;
  }
}

async function findMissing(
  { roles, archives }: { readonly roles: RoleStore; readonly archives: ArchiveStorage },
  stored: ReadonlySet<ArchiveId>,
  createdBefore: Instant,
  signal: AbortSignal | undefined,
): Promise<readonly ArchiveId[]> {
  const suspects: ArchiveId[] = [];
  for (let last: ArchiveId | undefined; ; ) {
    signal?.throwIfAborted();
    const page = await roles.listArchives(last, PAGE);
    suspects.push(...page.filter((id) => archiveCreatedAt(id) < createdBefore && !stored.has(id)));
    last = page.at(-1);
    if (page.length < PAGE) break;
  }
  const missing: ArchiveId[] = [];
  for (const id of suspects) {
    if ((await archives.read(id, 0, 1, signal)) === undefined) missing.push(id);
  }
  return missing;
}
