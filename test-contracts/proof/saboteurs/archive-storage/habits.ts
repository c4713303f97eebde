import { type ArchiveId, type ArchiveStorage, Fault, isFault } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { type ArchiveSaboteur, saboteur, soundSubject, turns, unreachableSaboteur } from './subjects.ts';

/** The digits of an archive's id that tell when it was created. */
const MOMENT = 13;

/** What backends, caches and buffers do when nobody stops them. */
export const habitSaboteurs: readonly ArchiveSaboteur[] = [
  saboteur('archive-storage/list-many', 'a list never has more than 100', () => (sound) => ({
    list: async (after, limit, signal) => {
      const page = await sound.list(after, limit, signal);
      const first = await sound.list(undefined, 100, signal);
      return page.filter((id) => first.includes(id));
    },
  })),
  saboteur(
    'archive-storage/list-many',
    "a list goes on behind the cursor's millisecond",
    () => (sound) => ({
      list: (after, limit, signal) =>
        sound.list(after && (`${after.slice(0, MOMENT)}-g` as ArchiveId), limit, signal),
    }),
    ['archive-storage/list-walk'],
  ),
  saboteur(
    'archive-storage/list-many',
    'archives of one millisecond are one',
    () => {
      const first = new Map<string, ArchiveId>();
      const placeOf = (id: ArchiveId): ArchiveId => first.get(id.slice(0, MOMENT)) ?? id;
      return (sound) => ({
        put: async (id, archive, signal) => {
          if (!first.has(id.slice(0, MOMENT))) first.set(id.slice(0, MOMENT), id);
          await sound.put(placeOf(id), archive, signal);
        },
        read: (id, from, length, signal) => sound.read(placeOf(id), from, length, signal),
      });
    },
    ['archive-storage/size', 'archive-storage/delete-while-read', 'archive-storage/list-walk'],
  ),
  saboteur(
    'archive-storage/read-many',
    'reads of one handle share a position',
    () => (sound) => {
      let position = 0;
      return {
        read: async (id, from, length, signal) => {
          position = from;
          await turns(1);
          const fits = await sound.read(id, position, length, signal).catch(() => undefined);
          return fits ?? (await sound.read(id, from, length, signal));
        },
      };
    },
    ['archive-storage/put-many'],
  ),
  saboteur(
    'archive-storage/read-owned',
    'what is read is a view of one buffer',
    () => (sound) => {
      const buffer = new Uint8Array(MAX_READ);
      return {
        read: async (id, from, length, signal) => {
          const bytes = await sound.read(id, from, length, signal);
          if (bytes === undefined) return undefined;
          buffer.set(bytes);
          return buffer.subarray(0, length);
        },
      };
    },
    ['archive-storage/put-many', 'archive-storage/read-many', 'archive-storage/delete-while-read'],
  ),
  saboteur('archive-storage/read-owned', 'a small read keeps a large piece alive', () => (sound) => ({
    read: async (id, from, length, signal) => {
      const bytes = await sound.read(id, from, length, signal);
      const piece = new Uint8Array(length + 4_096);
      if (bytes !== undefined) piece.set(bytes);
      return bytes && piece.subarray(0, length);
    },
  })),
  saboteur(
    'archive-storage/delete-gone',
    'a page is kept for whoever asks again',
    () => (sound) => {
      const pages = new Map<string, readonly ArchiveId[]>();
      return {
        list: async (after, limit, signal) => {
          signal?.throwIfAborted();
          const asked = `${after} ${limit}`;
          const page = pages.get(asked) ?? (await sound.list(after, limit, signal));
          if (page.length > 1) pages.set(asked, page);
          return page;
        },
      };
    },
    [
      'archive-storage/list-walk',
      'archive-storage/list-many',
      'archive-storage/list-foreign',
      'archive-storage/aborted-on-the-way',
    ],
  ),
  saboteur(
    'archive-storage/delete-while-read',
    'what goes while it is read is zeros',
    () => {
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
    },
    ['archive-storage/delete-gone', 'archive-storage/delete-twice', 'archive-storage/aborted-on-the-way'],
  ),
  saboteur('archive-storage/delete-aborted', 'delete does not look at its signal', () => (sound) => ({
    delete: (id) => sound.delete(id),
  })),
  saboteur('archive-storage/list-aborted', 'list does not look at its signal', () => (sound) => ({
    list: (after, limit) => sound.list(after, limit),
  })),
  saboteur('archive-storage/put-as-staged', 'what is there of a staged file is stored', () => (sound) => ({
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
  unreachableSaboteur(
    'archive-storage/put-again',
    'a put that fails removes the staged file',
    () => (sound) => ({
      put: async (id, archive, signal) => {
        try {
          await sound.put(id, archive, signal);
        } catch (error) {
          await archive.discard();
          throw error;
        }
      },
    }),
  ),
  saboteur(
    'archive-storage/lets-go',
    'a read goes on listening to its signal',
    () => (sound) => ({
      read: (id, from, length, signal) => {
        signal?.addEventListener('abort', () => undefined);
        return sound.read(id, from, length, signal);
      },
    }),
    ['archive-storage/read-many', 'archive-storage/read-aborted', 'archive-storage/aborted-on-the-way'],
  ),
  unreachableSaboteur(
    'archive-storage/unreachable',
    'a fault does not say what caused it',
    () => (sound) => ({
      check: async () => {
        await sound.check().catch(() => {
          throw new Fault('storage_unavailable', 'no answer');
        });
      },
    }),
  ),
  {
    breaks: 'archive-storage/list-foreign',
    how: 'whatever lies there is listed',
    open: () => async () => {
      const subject = await soundSubject();
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
  saboteur(
    'archive-storage/aborted-on-the-way',
    'an abort on the way comes out as a fault',
    () => (sound) => ({
      list: async (after, limit, signal) => {
        const page = await sound.list(after, limit, signal);
        await turns(3);
        if (signal?.aborted) throw new Fault('storage_unavailable', 'aborted', { cause: signal.reason });
        return page;
      },
    }),
    ['archive-storage/lets-go'],
  ),
];
