import type { ArchiveId } from '../../domain/identity.ts';
import type { Comparison } from '../../domain/reconciliation.ts';
import type { RoleStore, Version } from '../../ports/role-store.ts';
import { oneOf } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { type AnyProgram, type AnyQuery, defineQuery } from '../../records/program.ts';
import { find, get, upsert } from '../../records/steps.ts';
import { COMPARISON_LOCK } from '../../records/tables/locks.ts';
import { COMPARISONS, MANIFESTS } from '../../records/tables/role-tables.ts';
import { defineChange } from '../define-change.ts';

/** The columns that are read without a manifest's text. */
const ARCHIVE = ['archive'] as const;

const loadManifest = defineQuery('roles.load_manifest', (archive: ArchiveId) => get(MANIFESTS, { archive }));

const findNamed = defineQuery('roles.named_archives', (ids: readonly ArchiveId[]) =>
  find(MANIFESTS, { archive: oneOf(ids) }, { select: ARCHIVE }),
);

interface ArchivesPage {
  readonly after: ArchiveId | undefined;
  readonly limit: number;
}

const listNamed = defineQuery('roles.list_archives', ({ after, limit }: ArchivesPage) =>
  find(
    MANIFESTS,
    {},
    { order: ARCHIVE, after: after === undefined ? undefined : { archive: after }, limit, select: ARCHIVE },
  ),
);

const loadComparison = defineQuery('roles.load_comparison', () => get(COMPARISONS, { id: 1 }));

interface ComparisonChange {
  readonly comparison: Comparison;
  readonly loadedAt: Version | undefined;
}

const storeComparison = defineChange('roles.store_comparison', {
  locks: () => ({ exclusive: [COMPARISON_LOCK] }),
  usesReserve: () => true,
  *run({ comparison, loadedAt }: ComparisonChange) {
    const row = yield* get(COMPARISONS, { id: 1 });
    if (row?.version !== loadedAt) return { kind: 'conflict' };
    const version = ((loadedAt ?? 0) + 1) as Version;
    yield* upsert(COMPARISONS, { id: 1, version, comparison });
    return { kind: 'kept', version };
  },
});

export const ARCHIVE_PROGRAMS: readonly (AnyProgram | AnyQuery)[] = [
  loadManifest,
  findNamed,
  listNamed,
  loadComparison,
  storeComparison,
];

/** The archives that records name, and their comparison with those in storage. */
export function archives(
  database: Database,
): Pick<RoleStore, 'loadManifest' | 'whichAreNamed' | 'listArchives' | 'loadComparison' | 'keepComparison'> {
  return {
    loadManifest: async (archive, signal) => (await database.read(loadManifest, archive, signal))?.manifest,
    whichAreNamed: async (ids) =>
      new Set((await database.read(findNamed, ids)).map(({ archive }) => archive)),
    listArchives: async (after, limit) => {
      // A sweep asks for page after page: others get their turn in between.
      await database.pause();
      return (await database.read(listNamed, { after, limit })).map(({ archive }) => archive);
    },
    loadComparison: async () => {
      const row = await database.read(loadComparison, undefined);
      return row && { value: row.comparison, version: row.version };
    },
    keepComparison: (comparison, loadedAt) => database.write(storeComparison, { comparison, loadedAt }),
  };
}
