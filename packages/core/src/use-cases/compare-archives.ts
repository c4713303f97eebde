import { type ArchiveId, archiveCreatedAt } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { ArchiveStorage } from '../ports/archive-storage.ts';
import type { RoleStore } from '../ports/role-store.ts';

/** What storage has and records name, compared. */
export interface Comparison {
  /** Archives in storage, old enough to be judged. */
  readonly compared: number;
  /** Those of them that no record names. */
  readonly orphans: readonly ArchiveId[];
  /** Archives that a record names and storage does not have: the first {@link MOST_MISSING}. */
  readonly missing: readonly ArchiveId[];
}

/** What is compared, and who listens. */
export interface ComparisonRequest {
  /** Only archives made before it are judged: a younger one may belong to a publication under way. */
  readonly createdBefore: Instant;
  readonly signal: AbortSignal | undefined;
  /** Called after each page with how many archives were compared so far. */
  readonly onPage: (compared: number) => void;
}

interface ComparedPorts {
  readonly roles: RoleStore;
  readonly archives: ArchiveStorage;
}

const PAGE = 500;

/** More are no news, and each is looked for in storage. */
const MOST_MISSING = 1_000;

/**
 * Walks storage and records side by side, page by page. Of each page storage is listed first and the records are asked
 * then, so that what was committed in between is known to both.
 */
export async function compareArchives(ports: ComparedPorts, request: ComparisonRequest): Promise<Comparison> {
  const { createdBefore, signal, onPage } = request;
  const orphans: ArchiveId[] = [];
  const absent: ArchiveId[] = [];
  let compared = 0;
  for (let last: ArchiveId | undefined; ; ) {
    signal?.throwIfAborted();
    const page = await ports.archives.list(last, PAGE, signal);
    const old = page.filter((id) => archiveCreatedAt(id) < createdBefore);
    const named = await ports.roles.whichAreNamed(old);
    orphans.push(...old.filter((id) => !named.has(id)));
    compared += old.length;
    // Ids begin with their instant, so behind the first young one all are young.
    const isLast = page.length < PAGE || old.length < page.length;
    const range = { after: last, upTo: isLast ? undefined : page.at(-1), createdBefore };
    for await (const id of namedIn(ports.roles, range, signal)) {
      if (absent.length < MOST_MISSING && !named.has(id)) absent.push(id);
    }
    onPage(compared);
    if (isLast) return { compared, orphans, missing: await stillMissing(ports, absent, signal) };
    last = page.at(-1);
  }
}

/** A part of the order of ids: behind `after`, up to `upTo`, and made before an instant. */
interface Range {
  readonly after: ArchiveId | undefined;
  readonly upTo: ArchiveId | undefined;
  readonly createdBefore: Instant;
}

async function* namedIn(
  roles: RoleStore,
  { after, upTo, createdBefore }: Range,
  signal: AbortSignal | undefined,
): AsyncGenerator<ArchiveId, void> {
  for (let last = after; ; ) {
    signal?.throwIfAborted();
    const page = await roles.listArchives(last, PAGE);
    for (const id of page) {
      if ((upTo !== undefined && id > upTo) || archiveCreatedAt(id) >= createdBefore) return;
      yield id;
    }
    if (page.length < PAGE) return;
    last = page.at(-1);
  }
}

/** Looks once more: a cleanup elsewhere removes an archive first, and its record names it no longer a moment later. */
async function stillMissing(
  { roles, archives }: ComparedPorts,
  suspects: readonly ArchiveId[],
  signal: AbortSignal | undefined,
): Promise<readonly ArchiveId[]> {
  const gone: ArchiveId[] = [];
  for (const id of suspects) {
    if ((await archives.read(id, 0, 1, signal)) === undefined) gone.push(id);
  }
  const named = await roles.whichAreNamed(gone);
  return gone.filter((id) => named.has(id));
}
