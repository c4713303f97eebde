import { readFile } from 'node:fs/promises';
import { type ArchiveId, type ArchiveStorage, Fault, type StagedArchive } from '@pinfold/core';
import { checkReadRange } from '@pinfold/core/adapter';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';

export type Bytes = Uint8Array<ArrayBuffer>;

/** What the handles of a storage share, in the order in which it was put. */
export type Kept = Map<ArchiveId, Bytes>;

/** A storage of its own, over what the handles share. */
export interface OwnStorage extends ArchiveStorage {
  readonly kept: Kept;
  /** Rejects for an aborted signal, and as the memory does when it is closed. */
  reach(signal: AbortSignal | undefined): Promise<void>;
  /** All ids in order. */
  ids(): ArchiveId[];
}

function ownStorage(kept: Kept, store: ArchiveStorage): OwnStorage {
  const reach = (signal?: AbortSignal): Promise<void> => store.check(signal);
  const ids = (): ArchiveId[] => [...kept.keys()].sort();
  return {
    kept,
    reach,
    ids,
    put: async (id, archive, signal) => {
      await reach(signal);
      const bytes = await stagedBytes(archive);
      signal?.throwIfAborted();
      kept.set(id, bytes);
    },
    read: async (id, from, length, signal) => {
      checkReadRange(from, length);
      await reach(signal);
      const bytes = kept.get(id);
      if (bytes !== undefined && from + length > bytes.length)
        throw new TypeError('beyond the end of the archive');
      return bytes?.slice(from, from + length);
    },
    size: async (id, signal) => {
      await reach(signal);
      return kept.get(id)?.length;
    },
    delete: async (id, signal) => {
      await reach(signal);
      kept.delete(id);
    },
    list: async (after, limit, signal) => {
      await reach(signal);
      return ids()
        .filter((id) => after === undefined || id > after)
        .slice(0, limit);
    },
    check: reach,
  };
}

/** The bytes of a staged file, if it is as it was. */
export async function stagedBytes(archive: StagedArchive): Promise<Bytes> {
  const bytes = await fileBytes(archive);
  if (bytes.length === archive.size) return bytes;
  throw new Fault('storage_unavailable', 'the staged archive was changed');
}

/** The bytes of a staged file, whatever they are. */
export async function fileBytes({ file }: StagedArchive): Promise<Bytes> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new Fault('storage_unavailable', 'the staged archive cannot be read', { cause });
  });
  return new Uint8Array(bytes);
}

/** A storage of its own, with calls that are wrong; `calls` is called for each handle, `shared` for all together. */
export function storing<Shared = undefined>(
  calls: (own: OwnStorage, shared: Shared) => Partial<ArchiveStorage>,
  shared: () => Shared = () => undefined as Shared,
): Spoiling<ArchiveStorage> {
  return () => {
    const kept: Kept = new Map();
    const all = shared();
    return (store) => {
      const own = ownStorage(kept, store);
      const { put, read, size, delete: remove, list, check } = own;
      return { put, read, size, delete: remove, list, check, ...calls(own, all) };
    };
  };
}

/** A storage that is wrong in what it keeps of the bytes that it is given. */
export function writing(change: (bytes: Bytes, archive: StagedArchive) => Bytes): Spoiling<ArchiveStorage> {
  return storing((own) => ({
    put: async (id, archive, signal) => {
      await own.put(id, archive, signal);
      own.kept.set(id, change(own.kept.get(id) as Bytes, archive));
    },
  }));
}
