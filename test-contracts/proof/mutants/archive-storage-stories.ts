import { type ArchiveId, type ArchiveStorage, Fault, type StagedArchive } from '@pinfold/core';
import { createMemory, type Memory } from '@pinfold/memory';
import type { ArchiveStorageSubject } from '@pinfold/test-contracts';
import { createStagedArchives, replacing } from '@pinfold/test-contracts/fixtures';
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

  mutant('put-many', 'a put that is not alone stores a wrong byte', () => {
    let running = 0;
    const mixed = new Set<ArchiveId>();
    return (sound) => ({
      put: async (id, archive, signal) => {
        if (running > 0) mixed.add(id);
        running += 1;
        await sound.put(id, archive, signal).finally(() => {
          running -= 1;
        });
      },
      read: async (id, from, length, signal) => {
        const bytes = await sound.read(id, from, length, signal);
        if (bytes !== undefined && mixed.has(id)) bytes[0] = ~(bytes[0] ?? 0);
        return bytes;
      },
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
  mutant('read-owned', 'a small read keeps a large buffer alive', () => (sound) => ({
    read: async (id, from, length, signal) => {
      const bytes = await sound.read(id, from, length, signal);
      const piece = new Uint8Array(length + 4_096);
      if (bytes !== undefined) piece.set(bytes);
      return bytes && piece.subarray(0, length);
    },
  })),

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

  mutant('put-prepared', 'an archive that is being prepared cannot be put', () => {
    const preparing = new Set<StagedArchive>();
    return (sound) => ({
      prepare: async (archive) => {
        preparing.add(archive);
        await turns(3);
        preparing.delete(archive);
      },
      put: async (id, archive, signal) => {
        if (preparing.has(archive)) throw new Fault('storage_unavailable', 'busy');
        await sound.put(id, archive, signal);
      },
    });
  }),

  {
    breaks: ['list-foreign'],
    how: 'whatever lies there is listed',
    open: () => async () => {
      const subject = await openSound();
      const strewn: ArchiveId[] = [];
      const spoiled = (port: ArchiveStorage): ArchiveStorage =>
        replacing(port, {
          list: async (after, limit, signal) =>
            [...(await port.list(after, limit, signal)), ...strewn]
              .filter((id) => after === undefined || id > after)
              .sort()
              .slice(0, limit),
        });
      return {
        ...subject,
        port: spoiled(subject.port),
        peer: async () => spoiled(await subject.peer()),
        strew: async () => void strewn.push('README' as ArchiveId),
      };
    },
  },
];

export const stories: readonly Mutant<ArchiveStorageSubject>[] = [...putStories, ...habitStories];
