import { type ArchiveId, type ArchiveStorage, Fault } from '@pinfold/core';
import { archiveCreatedAt } from '@pinfold/core/adapter';
import { type Sabotages, turns, waysOf } from '../ways.ts';

const { does, asks } = waysOf<ArchiveStorage>();

const all = (store: ArchiveStorage, signal?: AbortSignal): Promise<readonly ArchiveId[]> =>
  store.list(undefined, 1_000_000, signal);

const pageOf = (
  ids: readonly ArchiveId[],
  after: ArchiveId | undefined,
  limit: number,
): readonly ArchiveId[] => ids.filter((id) => after === undefined || id > after).slice(0, limit);

/** A list that passes over some of ours. */
const passesOver = (isOurs: (id: ArchiveId) => boolean) =>
  does('list', async (store, after, limit, signal) =>
    pageOf((await all(store, signal)).filter(isOurs), after, limit),
  );

const seconds = (id: ArchiveId): number => (archiveCreatedAt(id) / 1_000) | 0;

const lists: Sabotages<ArchiveStorage> = {
  'only archives with a random UUID are listed': passesOver((id) => id[28] === '4'),
  'archives from another time than this one are taken for foreign': passesOver((id) => id[0] === '1'),
  'archives later than 2038 are listed first': does('list', async (store, after, limit, signal) => {
    const ids = await all(store, signal);
    const sorted = ids.toSorted((one, other) => seconds(one) - seconds(other));
    return pageOf(sorted, after, limit);
  }),
  'a limit is a number of 32 bits': asks('list', (after, limit, signal) => [after, limit | 0, signal]),
  'uploads under way take places of a page': () => {
    const underWay = new Set<ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        underWay.add(id);
        await turns(2);
        await store.put(id, archive, signal).finally(() => underWay.delete(id));
      },
      list: async (after, limit, signal) => {
        const rows = [...new Set([...(await all(store, signal)), ...underWay])].sort();
        return pageOf(rows, after, limit).filter((id) => !underWay.has(id));
      },
    });
  },
  'an aborted put stays in the list': () => {
    const rows = new Set<ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        signal?.throwIfAborted();
        await store.put(id, archive, signal).catch((error: unknown) => {
          if (signal?.aborted) rows.add(id);
          throw error;
        });
      },
      list: async (after, limit, signal) =>
        pageOf([...new Set([...(await all(store, signal)), ...rows])].sort(), after, limit),
    });
  },
  'a list of all is the one that is kept, and changes': () => (store) => {
    const live: ArchiveId[] = [];
    return {
      list: async (after, limit, signal) => {
        const ids = await store.list(after, limit, signal);
        if (after !== undefined || ids.length === limit) return ids;
        live.splice(0, live.length, ...ids);
        return live;
      },
      delete: async (id, signal) => {
        await store.delete(id, signal);
        if (live.includes(id)) live.splice(live.indexOf(id), 1);
      },
    };
  },
  'a handle goes on where it was, by count': () => (store) => {
    const passed = new Map<ArchiveId, number>();
    return {
      list: async (after, limit, signal) => {
        const ids = await all(store, signal);
        const known = after === undefined ? 0 : passed.get(after);
        const page = known === undefined ? pageOf(ids, after, limit) : ids.slice(known, known + limit);
        const last = page.at(-1);
        if (last !== undefined) passed.set(last, ids.indexOf(last) + 1);
        return page;
      },
    };
  },
  'a list that is aborted on its way is at its end': does('list', async (store, after, limit, signal) => {
    signal?.throwIfAborted();
    await turns(3);
    return signal?.aborted ? [] : store.list(after, limit);
  }),
};

const PROBE = '1000000000000-0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20' as ArchiveId;

const checks: Sabotages<ArchiveStorage> = {
  'a good check is believed for the next': () => {
    let isWell = false;
    return (store) => ({
      check: async (signal) => {
        signal?.throwIfAborted();
        if (!isWell) await store.check(signal);
        isWell = !isWell;
      },
    });
  },
  'two checks at once write to one place': () => {
    let isWriting = false;
    return (store) => ({
      check: async (signal) => {
        signal?.throwIfAborted();
        if (isWriting) throw new Fault('storage_unavailable', 'what was to be read is not there');
        isWriting = true;
        await turns(2);
        await store.check(signal).finally(() => {
          isWriting = false;
        });
      },
    });
  },
  'a check looks for the archive that was put last': () => {
    let last: ArchiveId | undefined;
    return (store) => ({
      put: async (id, ...inputs) => {
        await store.put(id, ...inputs);
        last = id;
      },
      check: async (signal) => {
        await store.check(signal);
        if (last === undefined || (await store.size(last)) !== undefined) return;
        throw new Fault('storage_unavailable', 'an archive that was put is not there');
      },
    });
  },
  'a check that is aborted for no reason has one of its own': does('check', async (store, signal) => {
    if (signal?.aborted) throw signal.reason ?? new DOMException('The check was aborted', 'AbortError');
    return store.check(signal);
  }),
  'a check that is aborted on its way leaves an archive': () => {
    const left = new Set<ArchiveId>();
    return (store) => ({
      check: async (signal) => {
        await store.check(signal);
        await turns(3);
        if (signal?.aborted) left.add(PROBE);
        signal?.throwIfAborted();
      },
      list: async (after, limit, signal) =>
        pageOf([...left, ...(await all(store, signal))].sort(), after, limit),
    });
  },
};

export const sixthArchivesLists: Sabotages<ArchiveStorage> = { ...lists, ...checks };
