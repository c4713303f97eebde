import { type ArchiveId, type ArchiveStorage, Fault } from '@pinfold/core';
import { archiveCreatedAt } from '@pinfold/core/adapter';
import { type Sabotages, turns, waysOf } from '../ways.ts';

const { does } = waysOf<ArchiveStorage>();

const DAY = 86_400_000;

const day = (id: ArchiveId): number => Math.floor(archiveCreatedAt(id) / DAY);

const all = (store: ArchiveStorage): Promise<readonly ArchiveId[]> => store.list(undefined, 1_000_000);

/** Puts and deletes that meet others, at once or later. */
export const sixthArchivesShared: Sabotages<ArchiveStorage> = {
  'one of two archives with the same bytes takes the place of the other': () => {
    const owners = new Map<string, ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        const before = owners.get(archive.sha256);
        owners.set(archive.sha256, id);
        if (before !== undefined && before !== id) await store.delete(before);
      },
    });
  },
  'who deletes twice counts twice among those with the same bytes': () => {
    const shas = new Map<ArchiveId, string>();
    const counts = new Map<string, number>();
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        shas.set(id, archive.sha256);
        counts.set(archive.sha256, (counts.get(archive.sha256) ?? 0) + 1);
      },
      delete: async (id, signal) => {
        await store.delete(id, signal);
        const sha = shas.get(id);
        if (sha === undefined) return;
        const left = (counts.get(sha) ?? 0) - 1;
        counts.set(sha, left);
        if (left > 0) return;
        for (const [other, its] of shas) if (its === sha) await store.delete(other);
      },
    });
  },
  'two uploads of the same bytes at once have one place to lie': () => {
    const busy = new Set<string>();
    return (store) => ({
      put: async (id, archive, signal) => {
        if (busy.has(archive.sha256)) throw new Fault('storage_unavailable', 'the upload lies there already');
        busy.add(archive.sha256);
        await turns(2);
        await store.put(id, archive, signal).finally(() => busy.delete(archive.sha256));
      },
    });
  },
  'a staged file stays locked by a put that failed': () => {
    const locked = new Set<string>();
    return (store) => ({
      put: async (id, archive, signal) => {
        if (locked.has(archive.file)) throw new Fault('storage_unavailable', 'the staged file is locked');
        locked.add(archive.file);
        await store.put(id, archive, signal);
        locked.delete(archive.file);
      },
    });
  },
  'a put that fails clears away all uploads under way': () => {
    let cleared = 0;
    return (store) => ({
      put: async (id, archive, signal) => {
        const begun = cleared;
        await store.put(id, archive, signal).catch((error: unknown) => {
          cleared += 1;
          throw error;
        });
        await turns(3);
        if (cleared !== begun) await store.delete(id);
      },
    });
  },
  'a column for ids has thirty-two characters': () => {
    const owners = new Map<string, ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        const before = owners.get(id.slice(0, 32));
        owners.set(id.slice(0, 32), id);
        if (before !== undefined && before !== id) await store.delete(before);
      },
    });
  },
  'who deletes the last archive of a day removes its folder with what is under way': () => {
    const underWay = new Set<ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        underWay.add(id);
        await turns(2);
        await store.put(id, archive, signal).catch((error: unknown) => {
          underWay.delete(id);
          throw error;
        });
        if (!underWay.delete(id)) await store.delete(id);
      },
      delete: async (id, signal) => {
        await store.delete(id, signal);
        if ((await all(store)).some((other) => day(other) === day(id))) return;
        for (const other of underWay) if (day(other) === day(id)) underWay.delete(other);
      },
    });
  },
  'the second of two deletes at once finds nothing to remove': () => {
    const going = new Set<ArchiveId>();
    return (store) => ({
      delete: async (id, signal) => {
        if (going.has(id)) throw new Fault('storage_unavailable', 'the archive cannot be removed');
        going.add(id);
        await turns(2);
        await store.delete(id, signal).finally(() => going.delete(id));
      },
    });
  },
  'who deletes what is not there removes what comes next': does('delete', async (store, id, signal) => {
    if ((await store.size(id, signal)) !== undefined) return store.delete(id, signal);
    const [next] = await store.list(id, 1, signal);
    if (next !== undefined) await store.delete(next, signal);
  }),
  'a delete that is aborted on its way has left the list already': () => {
    const unlisted = new Set<ArchiveId>();
    return (store) => ({
      delete: async (id, signal) => {
        signal?.throwIfAborted();
        await store.check();
        unlisted.add(id);
        await turns(3);
        await store.delete(id, signal);
      },
      list: async (after, limit, signal) => {
        await store.check(signal);
        const ids = (await all(store)).filter((id) => !unlisted.has(id));
        return ids.filter((id) => after === undefined || id > after).slice(0, limit);
      },
    });
  },
  'a delete is done with the next call on its handle': () => (store) => {
    const waiting = new Set<ArchiveId>();
    const done = async (): Promise<void> => {
      for (const id of waiting) {
        await store.delete(id);
        waiting.delete(id);
      }
    };
    return {
      put: (...inputs) => done().then(() => store.put(...inputs)),
      read: (...inputs) => done().then(() => store.read(...inputs)),
      size: (...inputs) => done().then(() => store.size(...inputs)),
      list: (...inputs) => done().then(() => store.list(...inputs)),
      delete: async (id, signal) => {
        await done();
        await store.check(signal);
        waiting.add(id);
      },
    };
  },
  'what was never put is deleted without asking': () => {
    const put = new Set<ArchiveId>();
    return (store) => ({
      put: (id, ...inputs) => store.put(id, ...inputs).then(() => void put.add(id)),
      delete: async (id, signal) => {
        signal?.throwIfAborted();
        if (put.has(id)) await store.delete(id, signal);
      },
    });
  },
};
