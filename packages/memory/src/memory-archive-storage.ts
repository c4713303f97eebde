import { type ArchiveId, type ArchiveStorage, Fault, type StagedArchive } from '@pinfold/core';
import { checkReadRange } from '@pinfold/core/adapter';

/** The archives that the handles on one memory share. */
export type Archives = Map<ArchiveId, Uint8Array<ArrayBuffer>>;

/** A handle on archives. Closing it leaves them to others. */
export interface MemoryArchiveStorage extends ArchiveStorage {
  close(): void;
}

export function memoryArchiveStorage(archives: Archives): MemoryArchiveStorage {
  let isClosed = false;
  const open = (signal?: AbortSignal): Archives => {
    signal?.throwIfAborted();
    if (!isClosed) return archives;
    const cause = new Error('this handle was closed');
    throw new Fault('storage_unavailable', 'the memory is out of reach', { cause });
  };
  return {
    put: async (id, archive, signal) => {
      open(signal);
      const bytes = await readStaged(archive, signal);
      signal?.throwIfAborted();
      archives.set(id, bytes);
    },
    read: async (id, from, length, signal) => {
      const bytes = open(signal).get(id);
      if (bytes === undefined) return undefined;
      checkReadRange(from, length);
      if (from + length > bytes.length) throw new TypeError('a read lies inside the archive');
      return bytes.slice(from, from + length);
    },
    size: async (id, signal) => open(signal).get(id)?.length,
    delete: async (id, signal) => void open(signal).delete(id),
    list: async (after, limit, signal) => {
      const ids = [...open(signal).keys()].filter((id) => after === undefined || id > after);
      return ids.sort().slice(0, limit);
    },
    check: async (signal) => void open(signal),
    close: () => {
      isClosed = true;
    },
  };
}

async function readStaged(
  archive: StagedArchive,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(archive.size);
  let length = 0;
  try {
    for await (const piece of archive.open()) {
      signal?.throwIfAborted();
      length += piece.length;
      if (length > bytes.length) break;
      bytes.set(piece, length - piece.length);
    }
  } catch (cause) {
    signal?.throwIfAborted();
    throw new Fault('storage_unavailable', 'the staged archive cannot be read', { cause });
  }
  if (length === bytes.length) return bytes;
  throw new Fault('storage_unavailable', 'the staged archive was changed');
}
