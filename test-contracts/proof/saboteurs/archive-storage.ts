import { type ArchiveId, type ArchiveStorage, Fault, isFault, type StagedArchive } from '@pinfold/core';
import { type ArchiveStorageSubject, archiveStorageContract } from '@pinfold/test-contracts';
import { anArchiveId, replacing } from '@pinfold/test-contracts/fixtures';
import { habitSaboteurs } from './archive-storage/habits.ts';
import {
  type ArchiveSaboteur,
  over,
  saboteur,
  soundSubject,
  turns,
  unreachableSaboteur,
} from './archive-storage/subjects.ts';
import { oneForAll, strangers } from './memory-saboteurs.ts';
import type { Sabotage } from './sabotage.ts';

const TWO_MIB = 2_097_152;

const putSaboteurs: readonly ArchiveSaboteur[] = [
  saboteur(
    'archive-storage/put-whole',
    'what lies beyond 2 MiB is lost',
    () => (sound) => ({
      read: async (id, from, length, signal) => {
        const bytes = await sound.read(id, from, length, signal);
        bytes?.fill(0, Math.max(0, TWO_MIB - from));
        return bytes;
      },
    }),
    ['archive-storage/put-many', 'archive-storage/put-atomic', 'archive-storage/list-whole-only'],
  ),
  saboteur('archive-storage/put-atomic', 'an archive can be read while it is being stored', () => {
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
  saboteur('archive-storage/put-aborted', 'put does not look at its signal', () => (sound) => ({
    put: (id, archive) => sound.put(id, archive),
  })),
  saboteur(
    'archive-storage/put-many',
    'a put that is not alone stores a wrong byte',
    () => {
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
    },
    ['archive-storage/list-many'],
  ),
];

const readSaboteurs: readonly ArchiveSaboteur[] = [
  saboteur(
    'archive-storage/read-range',
    'no bytes of an archive are answered as if it was absent',
    () => (sound) => ({
      read: async (id, from, length, signal) =>
        length === 0 ? undefined : sound.read(id, from, length, signal),
    }),
    ['archive-storage/read-outside', 'archive-storage/read-owned', 'archive-storage/read-aborted'],
  ),
  saboteur(
    'archive-storage/read-outside',
    'a range that goes beyond the end is cut there',
    () => (sound) => ({
      read: async (id, from, length, signal) => {
        const size = (await sound.size(id)) ?? from + length;
        return sound.read(id, from, Math.min(length, Math.max(0, size - from)), signal);
      },
    }),
  ),
  saboteur(
    'archive-storage/read-outside',
    'what is no range is a fault of the storage',
    () => (sound) => ({
      read: (id, from, length, signal) =>
        sound.read(id, from, length, signal).catch((cause: unknown) => {
          if (!(cause instanceof TypeError)) throw cause;
          throw new Fault('storage_unavailable', 'no such range', { cause });
        }),
    }),
    ['archive-storage/read-aborted'],
  ),
  unreachableSaboteur(
    'archive-storage/read-absent',
    'whatever fails in a read is taken for an absent archive',
    () => (sound) => ({ read: (id, from, length) => unlessFault(sound.read(id, from, length), undefined) }),
    ['archive-storage/unreachable'],
  ),
  saboteur('archive-storage/read-aborted', 'read does not look at its signal', () => (sound) => ({
    read: (id, from, length) => sound.read(id, from, length),
  })),
  saboteur(
    'archive-storage/size',
    'what is not there has no bytes',
    () => (sound) => ({ size: async (id, signal) => (await sound.size(id, signal)) ?? 0 }),
    [
      'archive-storage/put-atomic',
      'archive-storage/put-aborted',
      'archive-storage/put-as-staged',
      'archive-storage/put-again',
      'archive-storage/put-whole',
      'archive-storage/delete-gone',
      'archive-storage/delete-while-read',
      'archive-storage/aborted-on-the-way',
    ],
  ),
];

async function unlessFault<Result>(answer: Promise<Result>, instead: Result): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    if (isFault(error)) return instead;
    throw error;
  }
}

const otherSaboteurs: readonly ArchiveSaboteur[] = [
  saboteur(
    'archive-storage/delete-gone',
    'a node answers from what it read before',
    () => (sound) => {
      const kept = new Map<ArchiveId, { readonly from: number; readonly bytes: Uint8Array<ArrayBuffer> }>();
      return {
        read: async (id, from, length, signal) => {
          signal?.throwIfAborted();
          const { from: first, bytes } = kept.get(id) ?? { from: 0, bytes: new Uint8Array(0) };
          const inside = from >= first && from + length <= first + bytes.length && bytes.length > 0;
          if (inside) return bytes.slice(from - first, from - first + length);
          const read = await sound.read(id, from, length, signal);
          if (read !== undefined) kept.set(id, { from, bytes: read.slice() });
          return read;
        },
        delete: async (id, signal) => {
          kept.delete(id);
          await sound.delete(id, signal);
        },
      };
    },
    ['archive-storage/delete-while-read'],
  ),
  saboteur(
    'archive-storage/delete-twice',
    'deleting what is not there fails',
    () => (sound) => ({
      delete: async (id, signal) => {
        const there = await sound.read(id, 0, 0);
        if (there === undefined) throw new Fault('storage_unavailable', 'not there');
        await sound.delete(id, signal);
      },
    }),
    ['archive-storage/delete-aborted', 'archive-storage/lets-go'],
  ),
  saboteur('archive-storage/list-walk', 'a page of what is not ours passes for the end', () => (sound) => ({
    list: async (after, limit, signal) => {
      const page = await sound.list(after, limit, signal);
      return after === anArchiveId(60_000) ? [] : page;
    },
  })),
  saboteur('archive-storage/list-whole-only', 'a put under way is listed', () => {
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
  saboteur(
    'archive-storage/check',
    'check does not look at its signal',
    () => (sound) => ({
      check: () => sound.check(),
    }),
    ['archive-storage/check-leaves-nothing'],
  ),
  {
    breaks: 'archive-storage/check-leaves-nothing',
    how: 'a check that fails leaves what it tried with',
    open: () => async () => {
      const subject = await soundSubject();
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
  unreachableSaboteur(
    'archive-storage/unreachable',
    'a storage that does not answer is taken for an empty one',
    () => (sound) => ({ list: (after, limit) => unlessFault(sound.list(after, limit), []) }),
  ),
];

const harnessSaboteurs: readonly ArchiveSaboteur[] = [
  {
    breaks: 'archive-storage/harness-apart',
    how: 'all subjects are over the same data',
    open: over(oneForAll),
  },
  {
    breaks: 'archive-storage/harness-peer',
    how: 'a peer opens data of its own',
    open: over(strangers),
    alsoFails: [
      'archive-storage/put-whole',
      'archive-storage/put-atomic',
      'archive-storage/put-many',
      'archive-storage/size',
      'archive-storage/delete-gone',
      'archive-storage/delete-while-read',
      'archive-storage/delete-aborted',
      'archive-storage/delete-twice',
      'archive-storage/list-walk',
      'archive-storage/list-many',
      'archive-storage/list-foreign',
      'archive-storage/list-whole-only',
    ],
  },
];

export const archiveStorageSabotage: Sabotage<ArchiveStorage, ArchiveStorageSubject> = {
  contract: archiveStorageContract,
  sound: () => soundSubject,
  saboteurs: [...harnessSaboteurs, ...putSaboteurs, ...readSaboteurs, ...otherSaboteurs, ...habitSaboteurs],
};
