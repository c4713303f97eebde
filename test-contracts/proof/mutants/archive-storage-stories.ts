import { stat } from 'node:fs/promises';
import { type ArchiveId, type ArchiveStorage, Fault, isFault, type StagedArchive } from '@pinfold/core';
import { createMemory, type Memory } from '@pinfold/memory';
import type { ArchiveStorageSubject } from '@pinfold/test-contracts';
import { anArchiveId, createStagedArchives, replacing } from '@pinfold/test-contracts/fixtures';
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

const TWO_MIB = 2_097_152;

const putStories: readonly Mutant<ArchiveStorageSubject>[] = [
  mutant('put-whole', 'bytes beyond 2 MiB are lost', () => (sound) => ({
    read: async (id, from, length, signal) => {
      const bytes = await sound.read(id, from, length, signal);
      bytes?.fill(0, Math.max(0, TWO_MIB - from));
      return bytes;
    },
  })),
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
  mutant('read-range', 'no bytes of an archive are answered as if it was absent', () => (sound) => ({
    read: async (id, from, length, signal) =>
      length === 0 ? undefined : sound.read(id, from, length, signal),
  })),
  mutant('read-outside', 'an invalid range is a fault of the storage', () => (sound) => ({
    read: (id, from, length, signal) =>
      sound.read(id, from, length, signal).catch((cause: unknown) => {
        if (!(cause instanceof TypeError)) throw cause;
        throw new Fault('storage_unavailable', 'no such range', { cause });
      }),
  })),
  mutant('delete-twice', 'deleting an absent archive fails', () => (sound) => ({
    delete: async (id, signal) => {
      const there = await sound.read(id, 0, 0);
      if (there === undefined) throw new Fault('storage_unavailable', 'not there');
      await sound.delete(id, signal);
    },
  })),
  mutant('list-walk', 'a page of foreign files passes for the end', () => (sound) => ({
    list: async (after, limit, signal) => {
      const page = await sound.list(after, limit, signal);
      return after === anArchiveId(60_000) ? [] : page;
    },
  })),
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

/** The digits of an archive's id that hold its time of creation. */
const MOMENT = 13;

/** Habits of backends, caches and buffers. */
const habitStories: readonly Mutant<ArchiveStorageSubject>[] = [
  mutant('list-many', "a page starts after the cursor's millisecond", () => (sound) => ({
    list: (after, limit, signal) =>
      sound.list(after && (`${after.slice(0, MOMENT)}-g` as ArchiveId), limit, signal),
  })),
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
  mutant('put-prepared', 'a prepared archive is not looked at again', () => {
    const prepared = new Set<StagedArchive>();
    return (sound) => ({
      prepare: async (archive) => void prepared.add(archive),
      put: async (id, archive, signal) => {
        const { size } = await stat(archive.file ?? '');
        await sound.put(id, prepared.has(archive) ? { ...archive, size } : archive, signal);
      },
    });
  }),

  mutant('put-as-staged', 'a truncated staged file is stored as far as it goes', () => (sound) => ({
    put: async (id, archive, signal) => {
      const sizes = [archive.size, 1_000];
      for (const size of sizes) {
        const refused = await sound.put(id, { ...archive, size }, signal).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (refused === undefined || !isFault(refused) || size === sizes.at(-1)) {
          if (refused !== undefined) throw refused;
          return;
        }
      }
    },
  })),
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
  mutant('sequences', 'bytes that were deleted once are not stored again', () => {
    const known = new Map<string, ArchiveId>();
    return (sound) => ({
      put: async (id, archive, signal) => {
        const first = known.get(archive.sha256);
        if (first !== undefined && (await sound.size(first, signal)) === undefined) return;
        await sound.put(id, archive, signal);
        known.set(archive.sha256, id);
      },
    });
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

export const stories: readonly Mutant<ArchiveStorageSubject>[] = [...putStories, ...habitStories];
