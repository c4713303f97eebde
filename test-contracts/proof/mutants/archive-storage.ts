import { type ArchiveId, type ArchiveStorage, Fault, type StagedArchive } from '@pinfold/core';
import { createMemory, type Memory } from '@pinfold/memory';
import {
  type ArchiveStorageSubject,
  archiveStorageContract,
  checkArchiveStorageSequences,
} from '@pinfold/test-contracts';
import { createStagedArchives, replacing } from '@pinfold/test-contracts/fixtures';
import { derived } from './derive.ts';
import { turns } from './generic-faults.ts';
import { type Mutant, type MutantTable, mutating } from './mutant.ts';
import { closed, harness } from './over-memory.ts';

async function subjectOn(memory: Memory, peer: () => Memory): Promise<ArchiveStorageSubject> {
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

const openSound = (): Promise<ArchiveStorageSubject> => {
  const memory = createMemory();
  return subjectOn(memory, () => memory.peer());
};

const mutant = mutating<ArchiveStorage, ArchiveStorageSubject>(openSound);

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
  {
    breaks: ['check-leaves-nothing'],
    how: 'a check that fails leaves what it tried with',
    open: () => async () => {
      const subject = await openSound();
      const unreachable = async (): Promise<ArchiveStorage> => {
        const port = await subject.unreachable();
        const check = async (): Promise<void> => {
          await subject.stage(new Uint8Array(1));
          await port.check();
        };
        return replacing(port, { check });
      };
      return { ...subject, unreachable };
    },
  },
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
  mutant('put-prepared', 'a prepared archive counts as stored', () => {
    const prepared = new Set<StagedArchive>();
    return (sound) => ({
      prepare: async (archive) => void prepared.add(archive),
      put: async (id, archive, signal) => {
        if (!prepared.has(archive)) await sound.put(id, archive, signal);
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
  mutant('sequences', 'a handle cannot delete what it read and another deleted', () => (sound) => {
    const seen = new Set<ArchiveId>();
    return {
      read: async (id, ...asked) => {
        const bytes = await sound.read(id, ...asked);
        if (bytes !== undefined) seen.add(id);
        return bytes;
      },
      delete: async (id, signal) => {
        const size = await sound.size(id, signal);
        if (seen.delete(id) && size === undefined) throw new Fault('storage_unavailable', 'no such archive');
        await sound.delete(id, signal);
      },
    };
  }),
  mutant('aborted-on-the-way', 'an abort during the call becomes a fault', () => (sound) => ({
    list: async (after, limit, signal) => {
      const page = await sound.list(after, limit, signal);
      await turns(3);
      if (signal?.aborted) throw new Fault('storage_unavailable', 'aborted', { cause: signal.reason });
      return page;
    },
  })),
];

/** A storage that leaves things beside its archives, where only `left` finds them. */
function leaving(
  how: string,
  change: (sound: ArchiveStorage, leave: () => void) => Partial<ArchiveStorage>,
): Mutant<ArchiveStorageSubject> {
  return {
    breaks: ['leftovers'],
    how,
    open: () => async () => {
      const subject = await openSound();
      let count = 0;
      const leave = (): void => {
        count += 1;
      };
      const left = async (): Promise<number> => (await subject.port.list(undefined, 100)).length + count;
      return { ...subject, port: replacing(subject.port, change(subject.port, leave)), left };
    },
  };
}

/** What goes wrong in the place of the archives: it is gone, or something is left there. */
const placeStories: readonly Mutant<ArchiveStorageSubject>[] = [
  {
    breaks: ['place-gone'],
    how: 'an archive is absent where its bucket is gone',
    open: () => async () => {
      const subject = await openSound();
      const placeGone = async (): Promise<ArchiveStorage> =>
        replacing(await subject.unreachable(), { size: async () => undefined });
      return { ...subject, placeGone };
    },
  },
  leaving('a put that ends early leaves its temporary object', (sound, leave) => ({
    put: (id, archive, signal) =>
      sound.put(id, archive, signal).catch((error: unknown) => {
        leave();
        throw error;
      }),
  })),
];

const clauses = {
  put: 'unreachable put-again put-whole put-as-staged put-aborted lets-go',
  read: 'unreachable read-outside read-range read-absent delete-twice lets-go read-aborted',
  size: 'unreachable size lets-go',
  delete: 'unreachable delete-gone delete-twice lets-go delete-aborted',
  list: 'unreachable list-walk list-many lets-go list-aborted',
  check: 'unreachable check lets-go',
};

export const archiveStorageTable: MutantTable<ArchiveStorage, ArchiveStorageSubject> = {
  contract: archiveStorageContract,
  sequences: {
    sequences: { check: checkArchiveStorageSequences, runs: 100 },
  },
  sound: () => openSound,
  derived: derived(mutant, clauses),
  stories: [...harness(subjectOn), ...putStories, ...habitStories, ...placeStories],
};
