import type { ArchiveId, StagedArchive } from '@pinfold/core';
import type { ArchiveStorageSubject } from '@pinfold/test-contracts';
import { turns } from './generic-faults.ts';
import { type Story, storyOf } from './mutant.ts';
import { archives, openIn } from './subjects.ts';

const story = storyOf(openIn(archives));

const putStories: readonly Story<ArchiveStorageSubject>[] = [
  story('put-atomic', 'an archive can be read while it is being stored', () => {
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

  story('list-whole-only', 'a put under way is listed', () => {
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
const habitStories: readonly Story<ArchiveStorageSubject>[] = [
  story('read-many', 'reads of one handle share a position', () => (sound) => {
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
  story('delete-while-read', 'an archive that is deleted during a read reads as zeros', () => {
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

export const archiveStorageStories: readonly Story<ArchiveStorageSubject>[] = [
  ...putStories,
  ...habitStories,
];
