import type { ArchiveId } from '../../domain/identity.ts';
import { stateOf } from '../../domain/role.ts';
import type { StoredWindow } from '../../ports/role-cleanup.ts';
import type { RoleStore, Version } from '../../ports/role-store.ts';
import { oneOf } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { find, get, upsert } from '../../records/steps.ts';
import { COMPARISON_LOCK } from '../../records/tables/locks.ts';
import { MANIFESTS, ROLES } from '../../records/tables/role-tables.ts';
import { COMPARISONS } from '../../records/tables/service-tables.ts';
import { addChange, addQuery } from '../store-programs.ts';

/** The columns of a manifest without its text. */
const ARCHIVE = ['archive'] as const;
const VERSION = ['version'] as const;

const loadManifest = addQuery('roles.load_manifest', (archive: ArchiveId) => get(MANIFESTS, { archive }));

const findNamed = addQuery('roles.named_archives', (ids: readonly ArchiveId[]) =>
  find(MANIFESTS, { archive: oneOf(ids) }, { select: ARCHIVE }),
);

const listNamed = addQuery('roles.list_archives', ([archive, limit]: Parameters<RoleStore['listArchives']>) =>
  find(MANIFESTS, {}, { order: ARCHIVE, after: archive && { archive }, limit, select: ARCHIVE }),
);

/** The columns of the index of roles with an archive, so that the index alone is read. */
const STORED = ['id', 'archiveBytes', 'pinned', 'expiresAt', 'deletedAt'] as const;

const countStored = addQuery('roles.count_stored', function* ({ now, after: id, limit }: StoredWindow) {
  const rows = yield* find(
    ROLES,
    { hasArchive: true },
    { order: ['id'], after: id && { id }, limit, select: STORED },
  );
  const inService = rows.filter((row) => stateOf(row, now) === 'published');
  const pinned = inService.filter((row) => row.pinned).length;
  const bytes = rows.reduce((sum, { archiveBytes }) => sum + archiveBytes, 0);
  return {
    counted: { pinned, unpinned: inService.length - pinned, bytes },
    next: rows.length < limit ? undefined : rows.at(-1)?.id,
  };
});

const loadComparison = addQuery('roles.load_comparison', () => get(COMPARISONS, { id: 1 }));

const storeComparison = addChange('roles.store_comparison', {
  locks: () => ({ exclusive: [COMPARISON_LOCK] }),
  usesReserve: () => true,
  *run([comparison, loadedAt]: Parameters<RoleStore['saveComparison']>) {
    const row = yield* get(COMPARISONS, { id: 1 }, VERSION);
    if (row?.version !== loadedAt) return { kind: 'conflict' };
    const version = ((loadedAt ?? 0) + 1) as Version;
    yield* upsert(COMPARISONS, { id: 1, version, comparison });
    return { kind: 'saved', version };
  },
});

/** Creates the methods for the archives that records name, and for their comparison with storage. */
export function archives(
  database: Database,
): Pick<
  RoleStore,
  'loadManifest' | 'whichAreNamed' | 'listArchives' | 'countStored' | 'loadComparison' | 'saveComparison'
> {
  return {
    loadManifest: async (archive, signal) => (await database.read(loadManifest, archive, signal))?.manifest,
    whichAreNamed: async (ids) =>
      new Set((await database.read(findNamed, ids)).map(({ archive }) => archive)),
    listArchives: async (...page) => {
      // A sweep calls this page after page; other callers run in between.
      await database.pause();
      return (await database.read(listNamed, page)).map(({ archive }) => archive);
    },
    countStored: async (window) => {
      await database.pause();
      return database.read(countStored, window);
    },
    loadComparison: async () => {
      const row = await database.read(loadComparison, undefined);
      return row && { value: row.comparison, version: row.version };
    },
    saveComparison: (...saving) => database.write(storeComparison, saving),
  };
}
