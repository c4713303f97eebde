import type { ArchiveId, ArchiveStorage, StagedArchive } from '@pinfold/core';
import { createMemory, type Memory } from '@pinfold/memory';
import type { ArchiveStorageSubject } from '@pinfold/test-contracts';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { turns } from './generic-faults.ts';
import { type Mutant, type Mutate, mutating } from './mutant.ts';
import { closed } from './over-memory.ts';

export async function subjectOn(memory: Memory, peer: () => Memory): Promise<ArchiveStorageSubject> {
  const staged = await createStagedArchives();
  return {
    port: memory.archives,
    peer: async () => peer().archives,
    stage: staged.stage,
    strew: async () => {},
    unreachable: async () => (await closed(memory.peer())).archives,
    dispose: async () => {
      await staged.dispose();
      await memory.close();
    },
  };
}

export const openSound = (): Promise<ArchiveStorageSubject> => {
  const memory = createMemory();
  return subjectOn(memory, () => memory.peer());
};

export const mutant: Mutate<ArchiveStorage, ArchiveStorageSubject> = mutating<
  ArchiveStorage,
  ArchiveStorageSubject
>(openSound);

const putStories: readonly Mutant<ArchiveStorageSubject>[] = [
  mutant('put-atomic', 'an archive can be read while it is being stored', () => {
    const begun = new Map<ArchiveId, StagedArchive>();
    return (sound) => ({
      put: async (id, archive, signal) => {
        signal?.throwIfAborted();
        begun.set(id, archive);
        await turns(5);
        begun.delete(id);
        await sound.put(id, archive, signal);
      },
      read: async (id, from, length, signal) =>
        begun.has(id) ? new Uint8Array(length) : sound.read(id, from, length, signal),
    });
  }),

  mutant('list-whole-only', 'a put under way is listed', () => {
    const underWay = new Set<ArchiveId>();
    return (sound) => ({
      put: async (id, archive, signal) => {
        underWay.add(id);
        await turns(5);
        await sound.put(id, archive, signal).finally(() => underWay.delete(id));
      },
      list: async (after, limit, signal) => {
        const ids = new Set([...(await sound.list(after, limit, signal)), ...underWay]);
        return [...ids].sort().slice(0, limit);
      },
    });
  }),
];

/** Habits of backends, caches and buffers. */
const habitStories: readonly Mutant<ArchiveStorageSubject>[] = [
  mutant('read-many', 'reads of one handle share a position', () => (sound) => {
    let position = 0;
    return {
      read: async (id, from, length, signal) => {
        position = from;
        await turns(1);
        const fits = await sound.read(id, position, length, signal).catch(() => undefined);
        return fits ?? (await sound.read(id, from, length, signal));
      },
    };
  }),
  mutant('delete-while-read', 'an archive that is deleted during a read reads as zeros', () => {
    const deleted = new Set<ArchiveId>();
    return (sound) => ({
      read: async (id, from, length, signal) => {
        const bytes = await sound.read(id, from, length, signal);
        await turns(1);
        return bytes !== undefined && deleted.has(id) ? new Uint8Array(length) : bytes;
      },
      delete: async (id, signal) => {
        signal?.throwIfAborted();
        deleted.add(id);
        await sound.delete(id, signal);
      },
    });
  }),
];

export const stories: readonly Mutant<ArchiveStorageSubject>[] = [...putStories, ...habitStories];
