import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ArchiveId, type ArchiveStorage, Fault, isFault } from '@pinfold/core';
import { type Sabotages, turns, waysOf } from '../ways.ts';

const { answers, asks, does } = waysOf<ArchiveStorage>();

const ALL = 1_000_000;

const outage = (cause: unknown): Fault => new Fault('storage_unavailable', 'no answer', { cause });

/** The methods of a storage, each of which `around` may go about. */
function each(
  store: ArchiveStorage,
  around: (call: () => Promise<unknown>, signal: AbortSignal | undefined) => Promise<unknown>,
): ArchiveStorage {
  const wrap =
    (name: keyof ArchiveStorage) =>
    (...inputs: unknown[]) =>
      around(
        () => Reflect.apply(store[name], store, inputs),
        inputs.find((input) => input instanceof AbortSignal),
      );
  const names = ['put', 'read', 'size', 'delete', 'list', 'check'] as const;
  return Object.fromEntries(names.map((name) => [name, wrap(name)])) as unknown as ArchiveStorage;
}

export const seventhArchivesLists: Sabotages<ArchiveStorage> = {
  'size: none is absence': answers('size', (size) => size || undefined),
  'size: a reason with the code of a missing file is absence': does('size', (store, id, signal) =>
    store.size(id, signal).catch((error: unknown) => {
      if ((error as { code?: unknown } | null)?.code === 'ENOENT') return undefined;
      throw error;
    }),
  ),
  'size: looks for the UUID alone': does(
    'size',
    async (store, id, signal) =>
      (await store.size(id, signal)) ??
      (await store.list(undefined, ALL))
        .filter((other) => other.slice(14) === id.slice(14))
        .map((other) => store.size(other))[0],
  ),
  'size: of what this process put nobody is asked': () => {
    const sizes = new Map<ArchiveId, number>();
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        sizes.set(id, archive.size);
      },
      size: async (id, signal) => (signal?.aborted ? undefined : sizes.get(id)) ?? store.size(id, signal),
      delete: async (id, signal) => {
        await store.delete(id, signal);
        sizes.delete(id);
      },
    });
  },
  'size: listens on where nothing is': does('size', async (store, id, signal) => {
    const heard = () => undefined;
    signal?.addEventListener('abort', heard);
    const size = await store.size(id, signal).catch((error: unknown) => {
      signal?.removeEventListener('abort', heard);
      throw error;
    });
    if (size !== undefined) signal?.removeEventListener('abort', heard);
    return size;
  }),
  'delete: archives with the same bytes go together': () => {
    const contents = new Map<ArchiveId, string>();
    return (store) => ({
      put: async (id, archive, signal) => {
        const bytes = await readFile(archive.file).catch(() => '');
        await store.put(id, archive, signal);
        contents.set(id, createHash('sha256').update(bytes).digest('hex'));
      },
      delete: async (id, signal) => {
        await store.delete(id, signal);
        const content = contents.get(id);
        const same = [...contents].filter(([, other]) => other === content).map(([other]) => other);
        for (const other of same) await store.delete(other);
        for (const other of same) contents.delete(other);
      },
    });
  },
  'delete: of what never was removes the next': does('delete', async (store, id, signal) => {
    const [next] = (await store.size(id, signal)) === undefined ? await store.list(id, 1, signal) : [id];
    await store.delete(next ?? id, signal);
  }),
  'delete: of two at once one does not find it': () => {
    const running = new Set<ArchiveId>();
    return (store) => ({
      delete: async (id, signal) => {
        signal?.throwIfAborted();
        if (running.has(id)) throw outage(new Error('ENOENT'));
        running.add(id);
        await store.delete(id, signal).finally(() => running.delete(id));
      },
    });
  },
  'delete: aborted on the way is done with': does('delete', async (store, id, signal) => {
    signal?.throwIfAborted();
    await turns(2);
    if (!signal?.aborted) await store.delete(id, signal);
  }),
  'list: a limit of none is no limit': asks('list', (after, limit, signal) => [after, limit || 1000, signal]),
  'list: a limit has 32 bits': asks('list', (after, limit, signal) => [after, limit | 0, signal]),
  'list: what was deleted is passed over when the page is cut': () => {
    const tombs = new Set<ArchiveId>();
    return (store) => ({
      delete: async (id, signal) => {
        const there = (await store.size(id, signal)) !== undefined;
        await store.delete(id, signal);
        if (there) tombs.add(id);
      },
      list: async (after, limit, signal) => {
        if (tombs.size === 0) return store.list(after, limit, signal);
        const there = await store.list(after, ALL, signal);
        const gone = [...tombs].filter((id) => after === undefined || id > after);
        const page = [...there, ...gone].sort().slice(0, limit);
        return page.filter((id) => !tombs.has(id));
      },
    });
  },
  'list: after one that never was it begins anew': () => {
    const known = new Set<ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        known.add(id);
      },
      list: (after, limit, signal) =>
        store.list(after !== undefined && known.has(after) ? after : undefined, limit, signal),
    });
  },
  'list: goes on after the first eight digits of a UUID': does('list', async (store, after, limit, signal) =>
    (await store.list(after, ALL, signal))
      .filter((id) => after === undefined || id.slice(0, 22) > after.slice(0, 22))
      .slice(0, limit),
  ),
  'list: the later pages are of when the first was asked': () => (store) => {
    let snapshot: readonly ArchiveId[] | undefined;
    return {
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        snapshot = undefined;
      },
      delete: async (id, signal) => {
        await store.delete(id, signal);
        snapshot = undefined;
      },
      list: async (after, limit, signal) => {
        const all = await store.list(undefined, ALL, signal);
        if (after === undefined) snapshot = all;
        return (snapshot ?? all).filter((id) => after === undefined || id > after).slice(0, limit);
      },
    };
  },
  'list: beyond a thousand the seam loses one': answers('list', (ids) => ids.filter((_, at) => at !== 1000)),
  'list: a UUID that is not random is none of ours': does('list', async (store, after, limit, signal) =>
    (await store.list(after, ALL, signal)).filter((id) => id[28] === '4').slice(0, limit),
  ),
  'list: what comes after 2038 comes first': does('list', async (store, after, limit, signal) => {
    const all = await store.list(after, ALL, signal);
    const late = (id: ArchiveId) => id >= '2147483648000';
    return [...all.filter(late), ...all.filter((id) => !late(id))].slice(0, limit);
  }),
  'list: a later page is empty while nobody answers': does('list', (store, after, limit, signal) =>
    store.list(after, limit, signal).catch((error: unknown) => {
      if (after === undefined || signal?.aborted || !isFault(error)) throw error;
      return [];
    }),
  ),
  'list: aborted on the way is empty': does('list', async (store, after, limit, signal) => {
    signal?.throwIfAborted();
    await turns(2);
    return signal?.aborted ? [] : store.list(after, limit, signal);
  }),
  'check: one that was well speaks for all': () => {
    let well = false;
    return (store) => ({
      check: async (signal) => {
        signal?.throwIfAborted();
        if (!well) await store.check(signal);
        well = true;
      },
    });
  },
  'check: looks for what was put last': () => (store) => {
    let last: ArchiveId | undefined;
    return {
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        last = id;
      },
      check: async (signal) => {
        await store.check(signal);
        if (last && (await store.size(last, signal)) === undefined) throw outage(new Error('NoSuchKey'));
      },
    };
  },
  'check: an abort for the time it took is an outage': does('check', (store, signal) =>
    store.check(signal).catch((error: unknown) => {
      const late = error instanceof Error && error.name === 'TimeoutError';
      throw late ? outage(error) : error;
    }),
  ),
  'check: joins the one under way, deaf': () => (store) => {
    let running: Promise<void> | undefined;
    return {
      check: (signal) => {
        running ??= store.check(signal).finally(() => {
          running = undefined;
        });
        return running;
      },
    };
  },
  'all: from the second outage on no cause': () => (store) => {
    let open = false;
    return each(store, (call) =>
      call().catch((error: unknown) => {
        if (!isFault(error)) throw error;
        const again = open;
        open = true;
        throw again ? new Fault(error.code, error.message) : error;
      }),
    );
  },
  'all: an abort is an outage to the next call': () => (store) => {
    let down: { cause: unknown } | undefined;
    return each(store, async (call, signal) => {
      const before = down;
      down = undefined;
      if (before && !signal?.aborted) throw outage(before.cause);
      return call().catch((error: unknown) => {
        if (signal?.aborted) down = { cause: error };
        throw error;
      });
    });
  },
};
