import { readFile, writeFile } from 'node:fs/promises';
import { type ArchiveId, type ArchiveStorage, Fault, type StagedArchive } from '@pinfold/core';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { fifthCalls } from './archives-fifth-calls.ts';
import { fifthReads } from './archives-fifth-reads.ts';

const { does, answers } = waysOf<ArchiveStorage>();
const BLOCK = 65_536;

/** Stores other bytes than were staged. */
const restaged = (
  change: (bytes: Buffer, archive: StagedArchive) => Buffer,
  when = (_: StagedArchive) => true,
) =>
  does('put', async (store, id, archive, signal) => {
    const bytes = await readFile(archive.file).catch(() => undefined);
    if (bytes === undefined || !when(archive)) return await store.put(id, archive, signal);
    const file = `${archive.file}-other`;
    const other = change(bytes, archive);
    await writeFile(file, other);
    await store.put(id, { ...archive, file, size: other.length }, signal);
  });

const blocksOf = (bytes: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / BLOCK) }, (_, at) =>
    bytes.subarray(at * BLOCK, (at + 1) * BLOCK),
  );

/** Ways to store wrongly, written from the sentences of the port alone, a third time. */
export const fifthArchives: Sabotages<ArchiveStorage> = {
  ...fifthReads,
  ...fifthCalls,
  'what was staged empty is stored without a look': does('put', async (store, id, archive, signal) => {
    const file = `${archive.file}-empty`;
    if (archive.size === 0) await writeFile(file, '');
    await store.put(id, archive.size === 0 ? { ...archive, file } : archive, signal);
  }),
  'of a staged file that grew its former length is stored': restaged((bytes, { size }) =>
    bytes.length > size ? bytes.subarray(0, size) : bytes,
  ),
  'blocks of an archive are put together in the order of their numbers as text': restaged((bytes) =>
    Buffer.concat(
      [...blocksOf(bytes).entries()]
        .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))
        .map(([, block]) => block),
    ),
  ),
  'the last of whole blocks is not written': restaged(
    (bytes) => Buffer.concat([bytes.subarray(0, -BLOCK), Buffer.alloc(Math.min(BLOCK, bytes.length))]),
    ({ size }) => size > 0 && size % BLOCK === 0,
  ),
  'archives of the same bytes go together': () => {
    const ids = new Map<string, ArchiveId[]>();
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        ids.set(archive.sha256, [...(ids.get(archive.sha256) ?? []), id]);
      },
      delete: async (id, signal) => {
        await store.delete(id, signal);
        for (const same of ids.values()) {
          if (same.includes(id)) for (const other of same.splice(0)) await store.delete(other);
        }
      },
    });
  },
  'bytes that were deleted once are not stored again': () => {
    const known = new Map<string, ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        const first = known.get(archive.sha256);
        if (first !== undefined && (await store.size(first, signal)) === undefined) return;
        await store.put(id, archive, signal);
        known.set(archive.sha256, id);
      },
    });
  },
  'the size of what could not be stored is kept': () => (store) => {
    const sizes = new Map<ArchiveId, number>();
    return {
      put: async (id, archive, signal) => {
        signal?.throwIfAborted();
        await store.put(id, archive, signal).catch((error: unknown) => {
          sizes.set(id, archive.size);
          throw error;
        });
      },
      size: async (id, signal) => (await store.size(id, signal)) ?? sizes.get(id),
    };
  },
  'the size of what is being stored is told': () => {
    const sizes = new Map<ArchiveId, number>();
    return (store) => ({
      put: async (id, archive, signal) => {
        sizes.set(id, archive.size);
        await store.put(id, archive, signal).finally(() => sizes.delete(id));
      },
      size: async (id, signal) => (await store.size(id, signal)) ?? sizes.get(id),
    });
  },
  'what was aborted on the way stays listed': () => {
    const begun = new Set<ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        signal?.throwIfAborted();
        await store.put(id, archive, signal).catch((error: unknown) => {
          if (signal?.aborted) begun.add(id);
          throw error;
        });
      },
      list: async (after, limit, signal) => {
        const ids = await store.list(after, limit, signal);
        const left = [...begun].filter((id) => after === undefined || id > after);
        return [...ids, ...left].sort().slice(0, limit);
      },
    });
  },
  'puts at once of as many bytes share one buffer': () => {
    const buffers = new Map<number, Buffer>();
    return (store) => ({
      put: async (id, archive, signal) => {
        const bytes = await readFile(archive.file).catch(() => undefined);
        if (bytes?.length !== archive.size) return await store.put(id, archive, signal);
        buffers.set(archive.size, bytes);
        await turns(1);
        const file = `${archive.file}-shared`;
        await writeFile(file, buffers.get(archive.size) ?? bytes);
        await store.put(id, { ...archive, file }, signal);
      },
    });
  },
  'a check sweeps what is being stored': () => {
    const begun = new Set<ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        begun.add(id);
        await store.put(id, archive, signal);
        if (!begun.delete(id)) await store.delete(id);
      },
      check: async (signal) => {
        await store.check(signal);
        begun.clear();
      },
    });
  },
  'a put that fails sweeps what others are storing': () => {
    const begun = new Set<ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        begun.add(id);
        await store.put(id, archive, signal).catch((error: unknown) => {
          begun.clear();
          throw error;
        });
        await turns(5);
        if (!begun.delete(id)) await store.delete(id);
      },
    });
  },
  'what could not be stored once is taken for stored': () => {
    const begun = new Set<ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        if (begun.has(id)) return;
        begun.add(id);
        await store.put(id, archive, signal);
      },
    });
  },
  'deleting what never was deletes what follows': does('delete', async (store, id, signal) => {
    const next = (await store.size(id, signal)) === undefined ? (await store.list(id, 1, signal))[0] : id;
    await store.delete(next ?? id, signal);
  }),
  'deleting twice at once fails': () => {
    const running = new Set<ArchiveId>();
    return (store) => ({
      delete: async (id, signal) => {
        await store.check(signal);
        if (running.has(id)) throw new Fault('storage_unavailable', 'busy', { cause: 'EBUSY' });
        running.add(id);
        await turns(1);
        await store.delete(id, signal).finally(() => running.delete(id));
      },
    });
  },
  'a list goes on with the one after the next where its id is gone': does(
    'list',
    async (store, after, limit, signal) => {
      if (after === undefined || (await store.size(after, signal)) !== undefined)
        return await store.list(after, limit, signal);
      return (await store.list(after, limit + 1, signal)).slice(1);
    },
  ),
  'no more than a thousand can be listed at once': does('list', async (store, after, limit, signal) => {
    if (limit > 1_000) throw new TypeError('at most 1,000');
    return await store.list(after, limit, signal);
  }),
  'a limit of none lists all': does('list', (store, after, limit, signal) =>
    store.list(after, limit || 1_000, signal),
  ),
  'a walk is in the order of digits without zeros before them': does(
    'list',
    async (store, after, limit, signal) => {
      const bare = (id: string): string => id.replace(/^0+/, '');
      const ids = [...(await store.list(undefined, 100_000, signal))].sort((one, other) =>
        bare(one) < bare(other) ? -1 : 1,
      );
      return ids.filter((id) => after === undefined || bare(id) > bare(after)).slice(0, limit);
    },
  ),
  'a page is given in the list of the page before': () => (store) => {
    const page: ArchiveId[] = [];
    return {
      list: async (after, limit, signal) => {
        page.splice(0, page.length, ...(await store.list(after, limit, signal)));
        return page;
      },
    };
  },
  'lists after the same id at once are as long as the first': () => (store) => {
    const running = new Map<string | undefined, Promise<readonly ArchiveId[]>>();
    return {
      list: async (after, limit, signal) => {
        signal?.throwIfAborted();
        const call = running.get(after) ?? store.list(after, limit, signal);
        running.set(after, call);
        return await call.finally(() => running.delete(after));
      },
    };
  },
  'a list of nothing does not look at its signal': does('list', async (store, after, limit, signal) => {
    const ids = await store.list(after, limit);
    return ids.length === 0 ? ids : await store.list(after, limit, signal);
  }),
  'a walk goes on with what was there when it began': () => (store) => {
    let walk: readonly ArchiveId[] = [];
    return {
      list: async (after, limit, signal) => {
        if (after === undefined) walk = await store.list(undefined, 100_000, signal);
        if (after === undefined || !walk.includes(after)) return await store.list(after, limit, signal);
        signal?.throwIfAborted();
        return walk.slice(walk.indexOf(after) + 1).slice(0, limit);
      },
    };
  },
  'archives of nothing are taken for folders': () => (store) => ({
    list: async (after, limit, signal) => {
      const ids = await store.list(after, limit, signal);
      const sizes = await Promise.all(ids.map((id) => store.size(id)));
      return ids.filter((_, at) => sizes[at] !== 0);
    },
  }),
  'only ids of this third of a century are listed': answers('list', (ids) =>
    ids.filter((id) => id.startsWith('1')),
  ),
  'what was deleted has its place in a page': () => {
    const deleted = new Set<ArchiveId>();
    return (store) => ({
      delete: async (id, signal) => {
        const had = await store.size(id, signal);
        await store.delete(id, signal);
        if (had !== undefined) deleted.add(id);
      },
      list: async (after, limit, signal) => {
        const ids = await store.list(after, limit, signal);
        const rows = [...ids, ...[...deleted].filter((id) => after === undefined || id > after)];
        return rows
          .sort()
          .slice(0, limit)
          .filter((id) => !deleted.has(id));
      },
    });
  },
};
