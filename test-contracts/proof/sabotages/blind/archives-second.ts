import { existsSync, statSync } from 'node:fs';
import { type ArchiveId, type ArchiveStorage, Fault, isFault, type Sha256 } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from '../ways.ts';
import { secondArchivesLists } from './archives-second-lists.ts';
import { secondArchivesReads } from './archives-second-reads.ts';

const { asks, does, wrapsAbortsIn } = waysOf<ArchiveStorage>();

/** Ids that are the same by `nameOf` are one archive. */
const naming =
  (nameOf: (id: ArchiveId) => string): Spoiling<ArchiveStorage> =>
  () => {
    const ids = new Map<string, ArchiveId>();
    const idOf = (id: ArchiveId): ArchiveId => ids.get(nameOf(id)) ?? id;
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(idOf(id), archive, signal);
        ids.set(nameOf(id), idOf(id));
      },
      read: (id, ...asked) => store.read(idOf(id), ...asked),
      size: (id, signal) => store.size(idOf(id), signal),
      delete: (id, signal) => store.delete(idOf(id), signal),
    });
  };

export const secondArchives: Sabotages<ArchiveStorage> = {
  ...secondArchivesReads,
  ...secondArchivesLists,
  'names have 48 characters': naming((id) => id.slice(0, 48)),
  'names are without the instant': naming((id) => id.slice(14)),
  'the same bytes are stored once': () => {
    const stored = new Set<Sha256>();
    return (store) => ({
      put: async (id, archive, signal) => {
        if (!stored.has(archive.sha256)) await store.put(id, archive, signal);
        stored.add(archive.sha256);
      },
    });
  },
  'the same bytes are deleted at once': () => {
    const bytes = new Map<ArchiveId, Sha256>();
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        bytes.set(id, archive.sha256);
      },
      delete: async (id, signal) => {
        await store.delete(id, signal);
        for (const [other, sha256] of bytes) if (sha256 === bytes.get(id)) await store.delete(other);
      },
    });
  },
  'what begins like a deleted id goes with it': does('delete', async (store, id, signal) => {
    await store.delete(id, signal);
    for (const other of await store.list(id.slice(0, 22) as ArchiveId, 10)) {
      if (other.startsWith(id.slice(0, 22))) await store.delete(other);
    }
  }),
  'a put goes on when its reason is falsy': asks('put', (id, archive, signal) => [
    id,
    archive,
    signal?.aborted && !signal.reason ? undefined : signal,
  ]),
  'a size that is aborted is out of reach': wrapsAbortsIn('size', 'storage_unavailable'),
  'a put that fails goes on listening': does('put', (store, id, archive, signal) =>
    store.put(id, archive, signal).catch((error: unknown) => {
      if (!signal?.aborted) signal?.addEventListener('abort', () => undefined);
      throw error;
    }),
  ),
  'why a staged file is not there is lost': does('put', (store, id, archive, signal) =>
    store.put(id, archive, signal).catch((error: unknown) => {
      if (!isFault(error) || existsSync(archive.file)) throw error;
      throw new Fault(error.code, error.message);
    }),
  ),
  'a put that failed is listed': () => {
    const failed = new Set<ArchiveId>();
    return (store) => ({
      put: (id, archive, signal) =>
        store.put(id, archive, signal).catch(async (error: unknown) => {
          await store.check();
          if (isFault(error)) failed.add(id);
          throw error;
        }),
      list: async (after, limit, signal) =>
        [...(await store.list(after, limit, signal)), ...[...failed].filter((id) => id > (after ?? ''))]
          .sort()
          .slice(0, limit),
    });
  },
  'a staged file that was emptied is an empty archive': asks('put', (id, archive, signal) => [
    id,
    statSync(archive.file, { throwIfNoEntry: false })?.size === 0 ? { ...archive, size: 0 } : archive,
    signal,
  ]),
  'a put that fails discards what was staged': does('put', (store, id, archive, signal) =>
    store.put(id, archive, signal).catch(async (error: unknown) => {
      if (isFault(error)) await archive.discard();
      throw error;
    }),
  ),
  'a reason that looks like a missing file is a deletion': does('delete', (store, ...asked) =>
    store.delete(...asked).catch((error: unknown) => {
      if (isFault(error) || (error as { code?: unknown } | null)?.code !== 'ENOENT') throw error;
    }),
  ),
  'no number is the beginning': asks('read', (id, from, ...rest) => [id, from || 0, ...rest]),
  'what nobody put is deleted without asking': () => {
    const put = new Set<ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        put.add(id);
      },
      delete: async (id, signal) => {
        signal?.throwIfAborted();
        if (put.has(id)) await store.delete(id, signal);
      },
    });
  },
  'a handle that read an archive cannot delete it after another': () => (store) => {
    const seen = new Set<ArchiveId>();
    return {
      read: async (id, ...asked) => {
        const bytes = await store.read(id, ...asked);
        if (bytes !== undefined) seen.add(id);
        return bytes;
      },
      delete: async (id, signal) => {
        const size = await store.size(id, signal);
        if (seen.delete(id) && size === undefined) throw new Fault('storage_unavailable', 'no such archive');
        await store.delete(id, signal);
      },
    };
  },
};
