import { type ArchiveId, type ArchiveStorage, Fault, isFault } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';

const { answers, asks, does } = waysOf<ArchiveStorage>();

async function all(store: ArchiveStorage, after?: ArchiveId, signal?: AbortSignal): Promise<ArchiveId[]> {
  const ids: ArchiveId[] = [];
  for (;;) {
    const page = await store.list(ids.at(-1) ?? after, 1_000, signal);
    if (page.length === 0) return ids;
    ids.push(...page);
  }
}

/** In the order in which some databases compare the parts of a UUID. */
function byLastGroup(id: ArchiveId): string {
  return id.slice(0, 14) + id.slice(-12) + id;
}

export const secondArchivesLists: Sabotages<ArchiveStorage> = {
  'empty archives are not listed': does('list', async (store, after, limit, signal) => {
    const ids: ArchiveId[] = [];
    for (const id of await all(store, after, signal)) {
      if (((await store.size(id)) ?? 0) > 0) ids.push(id);
      if (ids.length === limit) break;
    }
    return ids;
  }),
  'an archive of many chunks is listed twice': does('list', async (store, after, limit, signal) => {
    const ids: ArchiveId[] = [];
    for (const id of await store.list(after, limit, signal)) {
      ids.push(...(((await store.size(id)) ?? 0) > 65_536 ? [id, id] : [id]));
    }
    return ids.slice(0, limit);
  }),
  'nothing comes after an id that is not there': does('list', async (store, after, limit, signal) =>
    after !== undefined && (await store.size(after, signal)) === undefined
      ? []
      : store.list(after, limit, signal),
  ),
  'what was deleted is taken out of a page': () => {
    const deleted = new Set<ArchiveId>();
    return (store) => ({
      delete: async (id, signal) => {
        await store.delete(id, signal);
        deleted.add(id);
      },
      list: async (after, limit, signal) =>
        [
          ...(await all(store, after, signal)),
          ...[...deleted].filter((id) => after === undefined || id > after),
        ]
          .sort()
          .slice(0, limit)
          .filter((id) => !deleted.has(id)),
    });
  },
  'limits have 32 bits': asks('list', (after, limit, signal) => [after, limit | 0, signal]),
  'ids of one millisecond are ordered by their last group': does(
    'list',
    async (store, after, limit, signal) =>
      (await all(store, undefined, signal))
        .sort((one, other) => (byLastGroup(one) < byLastGroup(other) ? -1 : 1))
        .filter((id) => after === undefined || byLastGroup(id) > byLastGroup(after))
        .slice(0, limit),
  ),
  'ids are in the order in which they were put': () => {
    const order = new Set<ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        order.add(id);
      },
      list: async (after, limit, signal) => {
        const found = new Set(await all(store, undefined, signal));
        const ids = [...order].filter((id) => found.has(id) || id === after);
        return ids.slice(after === undefined ? 0 : ids.indexOf(after) + 1).slice(0, limit);
      },
    });
  },
  'a walk goes on in what its first page saw': () => (store) => {
    let seen: readonly ArchiveId[] | undefined;
    return {
      list: async (after, limit, signal) => {
        signal?.throwIfAborted();
        if (after === undefined || seen === undefined) seen = await all(store, undefined, signal);
        return seen.filter((id) => after === undefined || id > after).slice(0, limit);
      },
    };
  },
  'instants lose the zeros before them': answers('list', (ids) =>
    ids.map((id) => `${Number(id.slice(0, 13))}${id.slice(13)}` as ArchiveId),
  ),
  'a page begins after all that begin alike': does('list', async (store, after, limit, signal) =>
    (await all(store, after, signal)).filter((id) => id.slice(0, 40) !== after?.slice(0, 40)).slice(0, limit),
  ),
  'the thousandth of a long page comes twice': does('list', async (store, after, limit, signal) => {
    if (limit <= 1_000) return store.list(after, limit, signal);
    const ids = await all(store, after, signal);
    return [...ids.slice(0, 1_000), ...ids.slice(999)].slice(0, limit);
  }),
  'a handle keeps a page until it changes something': () => (store) => {
    const pages = new Map<string, readonly ArchiveId[]>();
    const changing =
      <I extends unknown[]>(change: (...inputs: I) => Promise<void>) =>
      (...inputs: I) =>
        change(...inputs).finally(() => pages.clear());
    return {
      put: changing(store.put),
      delete: changing(store.delete),
      list: async (after, limit, signal) => {
        signal?.throwIfAborted();
        const key = `${after} ${limit}`;
        const page = pages.get(key) ?? (await store.list(after, limit, signal));
        pages.set(key, page);
        return page;
      },
    };
  },
  'a list that timed out is out of reach': does('list', (store, ...asked) =>
    store.list(...asked).catch((cause: unknown) => {
      if (isFault(cause) || (cause as Error | null)?.name !== 'TimeoutError') throw cause;
      throw new Fault('storage_unavailable', 'too slow', { cause });
    }),
  ),
  'a list that is aborted on the way is at its end': does('list', async (store, after, limit, signal) => {
    const page = await store.list(after, limit, signal);
    return signal?.aborted ? [] : page;
  }),
  'a check that went well is not done again': () => (store) => {
    let isWell = false;
    return {
      check: async (signal) => {
        if (!isWell) await store.check(signal);
        isWell = true;
      },
    };
  },
  'a check that went wrong goes wrong again': () => (store) => {
    let wrong: { readonly error: unknown } | undefined;
    return {
      check: async (signal) => {
        if (wrong !== undefined) throw wrong.error;
        await store.check(signal).catch((error: unknown) => {
          wrong = { error };
          throw error;
        });
      },
    };
  },
  'a reason to end a check becomes an error': does('check', (store, signal) =>
    store.check(signal).catch((error: unknown) => {
      throw error instanceof Error ? error : new Error(String(error));
    }),
  ),
};
