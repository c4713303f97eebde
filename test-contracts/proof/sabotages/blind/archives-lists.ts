import { type ArchiveId, type ArchiveStorage, Fault } from '@pinfold/core';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { type OwnStorage, storing } from './own-storage.ts';

const { keeps, coversUp, isRawIn } = waysOf<ArchiveStorage>();

type Page = (after: ArchiveId | undefined, limit: number) => readonly ArchiveId[];

/** A storage whose pages are wrong. */
const listing = (change: (own: OwnStorage) => Page) =>
  storing((own) => {
    const page = change(own);
    return {
      list: async (after, limit, signal) => {
        await own.reach(signal);
        return page(after, limit);
      },
    };
  });

const follows = (after: ArchiveId | undefined) => (id: ArchiveId) => after === undefined || id > after;
const millisecond = (id: ArchiveId): string => id.slice(0, 13);

const lists: Sabotages<ArchiveStorage> = {
  'a page begins with the id that it comes after': listing(
    (own) => (after, limit) =>
      own
        .ids()
        .filter((id) => after === undefined || id >= after)
        .slice(0, limit),
  ),
  'a page comes after the millisecond of an id': listing(
    (own) => (after, limit) =>
      own
        .ids()
        .filter((id) => after === undefined || millisecond(id) > millisecond(after))
        .slice(0, limit),
  ),
  'ids are listed as they were put': listing(
    (own) => (after, limit) => [...own.kept.keys()].filter(follows(after)).slice(0, limit),
  ),
  'a page is cut before it is put in order': listing(
    (own) => (after, limit) => [...own.kept.keys()].filter(follows(after)).slice(0, limit).sort(),
  ),
  'a page begins with its last id': listing(
    (own) => (after, limit) => own.ids().filter(follows(after)).slice(0, limit).reverse(),
  ),
  'ids of one millisecond are in no order': listing(
    (own) => (after, limit) =>
      [...own.kept.keys()]
        .sort((one, other) => Number(millisecond(one)) - Number(millisecond(other)))
        .filter(follows(after))
        .slice(0, limit),
  ),
  'ids are in the order of the numbers in them': listing(
    (own) => (after, limit) =>
      own
        .ids()
        .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
        .filter(follows(after))
        .slice(0, limit),
  ),
  'a page has one more': listing(
    (own) => (after, limit) =>
      own
        .ids()
        .filter(follows(after))
        .slice(0, limit + 1),
  ),
  'a page has one less': listing(
    (own) => (after, limit) =>
      own
        .ids()
        .filter(follows(after))
        .slice(0, limit - 1),
  ),
  'a thousand are asked for before those after an id are chosen': listing(
    (own) => (after, limit) => own.ids().slice(0, 1_000).filter(follows(after)).slice(0, limit),
  ),
  'of one millisecond a hundred are listed': listing((own) => (after, limit) => {
    const counts = new Map<string, number>();
    const some = own.ids().filter((id) => {
      counts.set(millisecond(id), (counts.get(millisecond(id)) ?? 0) + 1);
      return (counts.get(millisecond(id)) ?? 0) <= 100;
    });
    return some.filter(follows(after)).slice(0, limit);
  }),
  'the list begins anew after an id that is gone': listing((own) => (after, limit) => {
    const ids = own.ids();
    const at = after === undefined ? 0 : ids.indexOf(after) + 1;
    return ids.slice(at, at + limit);
  }),
  'the list ends after an id that is gone': listing(
    (own) => (after, limit) =>
      after !== undefined && !own.kept.has(after) ? [] : own.ids().filter(follows(after)).slice(0, limit),
  ),
  'a page goes on where the last one of as many ended': listing((own) => {
    const ends = new Map<ArchiveId, number>();
    return (after, limit) => {
      const at = after === undefined ? 0 : (ends.get(after) ?? own.ids().filter((id) => id <= after).length);
      const page = own.ids().slice(at, at + limit);
      const last = page.at(-1);
      if (last !== undefined) ends.set(last, at + page.length);
      return page;
    };
  }),
  'archives without bytes are not listed': listing(
    (own) => (after, limit) =>
      own
        .ids()
        .filter((id) => own.kept.get(id)?.length !== 0)
        .filter(follows(after))
        .slice(0, limit),
  ),
  'each handle lists what was there when it was first asked': listing((own) => {
    let ids: readonly ArchiveId[] | undefined;
    return (after, limit) => {
      ids ??= own.ids();
      return ids.filter(follows(after)).slice(0, limit);
    };
  }),
  'it remembers its pages': keeps('list'),
  'a list that is aborted is empty': storing((own) => ({
    list: (after, limit, signal) =>
      own.list(after, limit, signal).catch((error: unknown) => {
        if (signal?.aborted) return [];
        throw error;
      }),
  })),
  'a list that is aborted on the way is the end': storing((own) => ({
    list: async (after, limit, signal) => {
      const page = await own.list(after, limit, signal);
      await turns(1);
      return signal?.aborted ? [] : page;
    },
  })),
  'a storage that does not answer lists nothing': coversUp('list', []),
};

const deletions: Sabotages<ArchiveStorage> = {
  'a delete takes all of its millisecond': storing((own) => ({
    delete: async (id, signal) => {
      await own.reach(signal);
      for (const other of own.ids()) if (millisecond(other) === millisecond(id)) own.kept.delete(other);
    },
  })),
  'a delete of what never was is a fault': storing((own) => ({
    delete: async (id, signal) => {
      await own.reach(signal);
      if (!own.kept.delete(id)) throw new Fault('storage_unavailable', 'absent');
    },
  })),
  'the second of two deletes at once is a fault': storing((own) => {
    const running = new Set<ArchiveId>();
    return {
      delete: async (id, signal) => {
        if (running.has(id)) throw new Fault('storage_unavailable', 'is being deleted');
        running.add(id);
        await turns(1);
        await own.delete(id, signal).finally(() => running.delete(id));
      },
    };
  }),
  'a deleted archive is gone for the handle that deleted it': storing((own) => {
    const gone = new Set<ArchiveId>();
    return {
      delete: async (id, signal) => {
        await own.reach(signal);
        gone.add(id);
      },
      read: async (id, from, length, signal) =>
        gone.has(id) ? undefined : own.read(id, from, length, signal),
      size: async (id, signal) => (gone.has(id) ? undefined : own.size(id, signal)),
      list: async (after, limit, signal) =>
        (await own.list(after, limit + gone.size, signal)).filter((id) => !gone.has(id)).slice(0, limit),
    };
  }),
  'a deleted archive has its size': storing(
    (own, sizes: Map<ArchiveId, number>) => ({
      put: async (id, archive, signal) => {
        await own.put(id, archive, signal);
        sizes.set(id, archive.size);
      },
      size: async (id, signal) => {
        await own.reach(signal);
        return sizes.get(id);
      },
    }),
    () => new Map(),
  ),
  'a deleted archive is listed': storing(
    (own, ids: Set<ArchiveId>) => ({
      put: async (id, archive, signal) => {
        await own.put(id, archive, signal);
        ids.add(id);
      },
      list: async (after, limit, signal) => {
        await own.reach(signal);
        return [...ids].sort().filter(follows(after)).slice(0, limit);
      },
    }),
    () => new Set<ArchiveId>(),
  ),
  'deleted archives are taken from a page, and not replaced': storing(
    (own, gone: Set<ArchiveId>) => ({
      delete: async (id, signal) => {
        await own.reach(signal);
        if (own.kept.has(id)) gone.add(id);
      },
      read: async (id, from, length, signal) =>
        gone.has(id) ? undefined : own.read(id, from, length, signal),
      size: async (id, signal) => (gone.has(id) ? undefined : own.size(id, signal)),
      list: async (after, limit, signal) =>
        (await own.list(after, limit, signal)).filter((id) => !gone.has(id)),
    }),
    () => new Set<ArchiveId>(),
  ),
  'an aborted delete rejects, and deletes': storing((own) => ({
    delete: async (id, signal) => {
      await own.delete(id);
      signal?.throwIfAborted();
    },
  })),
  'an aborted delete does nothing, and says nothing': storing((own) => ({
    delete: async (id, signal) => {
      if (!signal?.aborted) await own.delete(id, signal);
    },
  })),
  'a delete that is aborted on the way tells no reason': storing((own) => ({
    delete: async (id, signal) => {
      await own.reach(signal);
      await turns(1);
      if (signal?.aborted) throw new DOMException('This operation was aborted', 'AbortError');
      await own.delete(id);
    },
  })),
  'nothing is deleted, and nobody told, while the storage does not answer': coversUp('delete', undefined),
  'a delete lets out what the backend said': isRawIn('delete'),
  'a deleted archive reads as zeros while it goes': storing((own) => ({
    delete: async (id, signal) => {
      await own.reach(signal);
      own.kept.get(id)?.fill(0);
      await turns(2);
      own.kept.delete(id);
    },
  })),
  'an archive that is being deleted is a fault': storing(
    (own, going: Set<ArchiveId>) => ({
      delete: async (id, signal) => {
        await own.reach(signal);
        going.add(id);
        await turns(2);
        await own.delete(id).finally(() => going.delete(id));
      },
      read: async (id, from, length, signal) => {
        if (going.has(id)) throw new Fault('storage_unavailable', 'is being deleted');
        return own.read(id, from, length, signal);
      },
    }),
    () => new Set<ArchiveId>(),
  ),
  'an archive that was deleted before it was put is deleted': storing(
    (own, gone: Set<ArchiveId>) => ({
      delete: async (id, signal) => {
        await own.delete(id, signal);
        gone.add(id);
      },
      put: async (id, archive, signal) => {
        await own.put(id, archive, signal);
        if (gone.has(id)) own.kept.delete(id);
      },
    }),
    () => new Set<ArchiveId>(),
  ),
  'a delete takes with it what is put beside it': storing((own) => ({
    delete: async (id, signal) => {
      await own.reach(signal);
      const there = new Set(own.ids());
      own.kept.delete(id);
      await turns(30);
      for (const other of own.ids()) {
        if (!there.has(other) && millisecond(other) === millisecond(id)) own.kept.delete(other);
      }
    },
  })),
};

export const blindArchivesLists: Sabotages<ArchiveStorage> = { ...lists, ...deletions };
