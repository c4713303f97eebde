import { type ArchiveId, type Cleaning, type Instant, OPERATOR, type RoleId } from '@pinfold/core';
import { archiveIdOf } from '@pinfold/core/adapter';
import { openStage, type Stage } from './stage.ts';

/** A stage for tests of cleanups. */
export interface CleanupStage extends Stage, Pick<Cleaning, 'cleanUp'> {
  publishMany(count: number): Promise<readonly RoleId[]>;
  /** Publishes, and stops immediately. */
  publishEnded(count: number): Promise<readonly RoleId[]>;
  /** Stores archives that no record names, as made at an instant: now when absent. */
  storeOrphans(count: number, at?: Instant): Promise<readonly ArchiveId[]>;
  /** Counts the stored archives. */
  countArchives(): Promise<number>;
  archiveOf(id: RoleId): Promise<ArchiveId>;
}

export async function openCleanupStage(): Promise<CleanupStage> {
  const stage = await openStage();
  let published = 0;
  let orphans = 0;
  const publishMany = async (count: number): Promise<readonly RoleId[]> => {
    const ids: RoleId[] = [];
    for (let n = 0; n < count; n += 1) {
      published += 1;
      ids.push(await stage.publish({ key: `key ${published}` as never, bytes: `PK ${published}` }));
    }
    return ids;
  };
  return {
    ...stage,
    cleanUp: stage.useCases.cleanUp,
    publishMany,
    publishEnded: async (count) => {
      const ids = await publishMany(count);
      for (const id of ids) await stage.useCases.stop({ by: OPERATOR, id });
      return ids;
    },
    storeOrphans: async (count, at = stage.clock.now()) => {
      const ids: ArchiveId[] = [];
      for (let n = 0; n < count; n += 1) {
        orphans += 1;
        const uuid = `00000000-0000-4000-8000-${String(orphans).padStart(12, '0')}`;
        const id = archiveIdOf(at, uuid);
        await stage.memory.archives.put(id, (await stage.request()).archive);
        ids.push(id);
      }
      return ids;
    },
    countArchives: async () => {
      let count = 0;
      for (let last: ArchiveId | undefined; ; ) {
        const page = await stage.memory.archives.list(last, 1_000);
        count += page.length;
        last = page.at(-1);
        if (page.length < 1_000) return count;
      }
    },
    archiveOf: async (id) => {
      const found = await stage.memory.roles.load(id);
      if (found === undefined) throw new Error('the role is not there');
      return found.value.archive;
    },
  };
}
