import { type ArchiveId, type ArchiveStorage, Fault, isFault } from '@pinfold/core';
import { anArchiveId } from '@pinfold/test-contracts/fixtures';
import type { Spoiling } from '../saboteurs/memory-saboteurs.ts';
import { readingSabotages, zerosFrom } from './archives-reading.ts';
import { type Sabotages, turns, waysOf } from './ways.ts';

const {
  answers,
  asks,
  coversUp,
  does,
  hurries,
  isCurtIn,
  isDeafIn,
  isRawIn,
  keeps,
  listensIn,
  misnames,
  wrapsAbortsIn,
} = waysOf<ArchiveStorage>();

const MiB = 1_048_576;

/** Lists other ids. */
function lists(
  change: (page: readonly ArchiveId[], after: ArchiveId | undefined, limit: number) => readonly ArchiveId[],
): Spoiling<ArchiveStorage> {
  return answers('list', (page, after, limit) => change(page, after, limit));
}

/** Remembers ids over all handles. */
function remembering(
  spoiling: (ids: Set<ArchiveId>) => (store: ArchiveStorage) => Partial<ArchiveStorage>,
): Spoiling<ArchiveStorage> {
  return () => spoiling(new Set());
}

const puttingSabotages: Sabotages<ArchiveStorage> = {
  'an archive that begins with zeros has no size': does('size', async (store, id, signal) => {
    const size = await store.size(id, signal);
    const begin = await store.read(id, 0, Math.min(size ?? 0, 512), signal);
    return begin?.every((byte) => byte === 0) ? 0 : size;
  }),
  'what is stored is cut at 5 MiB': zerosFrom(5 * MiB),
  'a put answers before it is done': hurries('put', undefined),
  'a put is seen by others later': remembering((fresh) => (store) => {
    const own = new Set<ArchiveId>();
    return {
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        own.add(id);
        fresh.add(id);
        void turns(30).then(() => fresh.delete(id));
      },
      read: async (id, from, length, signal) =>
        fresh.has(id) && !own.has(id) ? undefined : await store.read(id, from, length, signal),
    };
  }),
  'a put that fails leaves its name in the list': remembering((failed) => (store) => ({
    put: (id, archive, signal) =>
      store.put(id, archive, signal).catch((error: unknown) => {
        failed.add(id);
        throw error;
      }),
    list: async (after, limit, signal) =>
      [...new Set([...(await store.list(after, limit, signal)), ...failed])].sort().slice(0, limit),
  })),
  'a put under way is listed': remembering((underWay) => (store) => ({
    put: async (id, archive, signal) => {
      underWay.add(id);
      await turns(3);
      await store.put(id, archive, signal).finally(() => underWay.delete(id));
    },
    list: async (after, limit, signal) =>
      [...new Set([...(await store.list(after, limit, signal)), ...underWay])].sort().slice(0, limit),
  })),
  'a put under way is read as zeros': remembering((underWay) => (store) => ({
    put: async (id, archive, signal) => {
      signal?.throwIfAborted();
      underWay.add(id);
      await turns(3);
      underWay.delete(id);
      await store.put(id, archive, signal);
    },
    read: async (id, from, length, signal) =>
      underWay.has(id) ? new Uint8Array(length) : await store.read(id, from, length, signal),
  })),
  'a put does not look at its signal': isDeafIn('put'),
  'an aborted put is stored all the same': does('put', async (store, id, archive, signal) => {
    await store.put(id, archive);
    signal?.throwIfAborted();
  }),
  'an abort of a put is a fault': wrapsAbortsIn('put', 'storage_unavailable'),
  'a put goes on listening': listensIn('put'),
  'puts at once store one archive': () => {
    let running: Promise<void> | undefined;
    const same = new Map<ArchiveId, ArchiveId>();
    let first: ArchiveId;
    return (store) => ({
      put: async (id, archive, signal) => {
        if (running !== undefined) same.set(id, first);
        else first = id;
        running = store.put(id, archive, signal);
        await running;
        running = undefined;
      },
      read: (id, from, length, signal) => store.read(same.get(id) ?? id, from, length, signal),
    });
  },
  'archives of one length are taken for one': () => {
    const ofLength = new Map<number, ArchiveId>();
    const same = new Map<ArchiveId, ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        same.set(id, ofLength.get(archive.size) ?? id);
        ofLength.set(archive.size, same.get(id) ?? id);
      },
      read: (id, from, length, signal) => store.read(same.get(id) ?? id, from, length, signal),
    });
  },
  'a staged file that is gone is told raw': isRawIn('put'),
  'a put of a file that is gone succeeds': coversUp('put', undefined),
  'a fault of a put has no cause': isCurtIn('put'),
  'a fault of a put has another name': misnames('put', 'staging_unavailable'),
  'what is there of a staged file is stored': does('put', async (store, id, archive, signal) => {
    await store.put(id, archive, signal).catch(async (error: unknown) => {
      if (!isFault(error)) throw error;
      await store.put(id, { ...archive, size: 1_000 }, signal);
    });
  }),
  'a put that fails takes the staged file with it': does('put', async (store, id, archive, signal) => {
    await store.put(id, archive, signal).catch(async (error: unknown) => {
      await archive.discard();
      throw error;
    });
  }),
};

const otherSabotages: Sabotages<ArchiveStorage> = {
  'a delete does nothing': does('delete', async (_, __, signal) => signal?.throwIfAborted()),
  'a delete answers before it is done': hurries('delete', undefined),
  'what is deleted is not listed, and can be read': remembering((gone) => (store) => ({
    delete: async (id, signal) => {
      signal?.throwIfAborted();
      gone.add(id);
    },
    list: async (after, limit, signal) =>
      (await store.list(after, limit, signal)).filter((id) => !gone.has(id)),
  })),
  'what is deleted is listed, and cannot be read': remembering((gone) => (store) => ({
    delete: async (id, signal) => {
      signal?.throwIfAborted();
      gone.add(id);
    },
    read: async (id, from, length, signal) => {
      const bytes = await store.read(id, from, length, signal);
      return gone.has(id) ? undefined : bytes;
    },
  })),
  'deleting again fails': does('delete', async (store, id, signal) => {
    if ((await store.read(id, 0, 0, signal)) === undefined) throw new Fault('storage_unavailable', 'absent');
    await store.delete(id, signal);
  }),
  'a delete takes the next archive, too': does('delete', async (store, id, signal) => {
    const [next] = await store.list(id, 1, signal);
    await store.delete(id, signal);
    if (next !== undefined) await store.delete(next);
  }),
  'a delete takes those of its millisecond, too': does('delete', async (store, id, signal) => {
    await store.delete(id, signal);
    for (const other of await store.list(undefined, 5_000)) {
      if (other.slice(0, 13) === id.slice(0, 13)) await store.delete(other);
    }
  }),
  'a delete does not look at its signal': isDeafIn('delete'),
  'a delete that fails says nothing': coversUp('delete', undefined),
  'a fault of a delete comes out raw': isRawIn('delete'),
  'a list is in the order of storing': () => {
    const stored: ArchiveId[] = [];
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        stored.push(id);
      },
      list: async (after, limit, signal) => {
        const page = await store.list(after, limit, signal);
        return stored.filter((id) => page.includes(id));
      },
    });
  },
  'archives of the first years are not listed': lists((page) => page.filter((id) => !id.startsWith('0'))),
  'a list is descending': lists((page) => page.toReversed()),
  'a list has the id that it is behind': does('list', async (store, after, limit, signal) => {
    const page = await store.list(after, limit, signal);
    return after === undefined || page.length === 0 ? page : [after, ...page].slice(0, limit);
  }),
  'a list has one more than the limit': asks('list', (after, limit, signal) => [after, limit + 1, signal]),
  'a list has one less than the limit, and at a limit of one none': asks('list', (after, limit, signal) => [
    after,
    limit - 1,
    signal,
  ]),
  'a walk ends after a hundred': does('list', async (store, after, limit, signal) => {
    const first = await store.list(undefined, 100);
    return (await store.list(after, limit, signal)).filter((id) => first.includes(id));
  }),
  'a walk ends after a thousand': does('list', async (store, after, limit, signal) => {
    const first = new Set(await store.list(undefined, 1_000));
    return (await store.list(after, limit, signal)).filter((id) => first.has(id));
  }),
  'a list goes on behind the millisecond': asks('list', (after, limit, signal) => [
    after && (`${after.slice(0, 13)}-g` as ArchiveId),
    limit,
    signal,
  ]),
  'pages are kept': keeps('list'),
  'an unknown id begins anew': does('list', async (store, after, limit, signal) => {
    const known = after !== undefined && (await store.read(after, 0, 0)) !== undefined;
    return await store.list(known ? after : undefined, limit, signal);
  }),
  'a page repeats the last of the one before': lists((page, after) =>
    after !== undefined && page.length > 1 ? [after, ...page.slice(0, -1)] : page,
  ),
  'a backend that does not answer is empty': coversUp('list', []),
  'a list does not look at its signal': isDeafIn('list'),
  'a fault of a list has no cause': isCurtIn('list'),
  'a check leaves something': remembering((probes) => (store) => ({
    check: async (signal) => {
      await store.check(signal);
      probes.add(anArchiveId(1));
    },
    list: async (after, limit, signal) =>
      [...(await store.list(after, limit, signal)), ...probes].slice(0, limit),
  })),
  'a check does not look at its signal': isDeafIn('check'),
  'a check is always well': coversUp('check', undefined),
  'a check needs an empty storage': does('check', async (store, signal) => {
    await store.check(signal);
    if ((await store.list(undefined, 1)).length > 0) throw new Fault('storage_unavailable', 'not empty');
  }),
  'a check goes on listening': listensIn('check'),
};

/** What a storage may do wrong. */
export const archiveSabotages: Sabotages<ArchiveStorage> = {
  ...readingSabotages,
  ...puttingSabotages,
  ...otherSabotages,
};
