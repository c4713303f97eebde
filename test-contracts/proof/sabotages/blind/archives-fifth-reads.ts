import { type ArchiveId, type ArchiveStorage, Fault } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';

const { does, asks } = waysOf<ArchiveStorage>();
type Bytes = Uint8Array<ArrayBuffer>;
type Read = ArchiveStorage['read'];
const BLOCK = 65_536;

/** Reads that are asked for while one of the same name runs are given its answer. */
const joined = (nameOf: (...inputs: Parameters<Read>) => unknown) => () => (store: ArchiveStorage) => {
  const running = new Map<string, ReturnType<Read>>();
  const read: Read = async (...inputs) => {
    const name = JSON.stringify(nameOf(...inputs));
    const call = running.get(name) ?? store.read(...inputs);
    running.set(name, call);
    try {
      return await call;
    } finally {
      running.delete(name);
    }
  };
  return { read };
};

/** Changes bytes that were read. */
const turned =
  (change: (bytes: Bytes, id: ArchiveId, from: number) => Bytes | undefined) =>
  () =>
  (store: ArchiveStorage) => {
    const read: Read = async (id, from, length, signal) => {
      const bytes = await store.read(id, from, length, signal);
      return bytes === undefined ? undefined : change(bytes, id, from);
    };
    return { read };
  };

/** Reading and asking how large, wrong in ways of caches, ranges and shared calls. */
export const fifthReads: Sabotages<ArchiveStorage> = {
  'all of an archive is read once and given again': () => {
    const kept = new Map<ArchiveId, Bytes>();
    return (store) => ({
      read: async (id, from, length, signal) => {
        const bytes = await store.read(id, from, length, signal);
        if (bytes === undefined || from !== 0 || (await store.size(id)) !== length) return bytes;
        kept.set(id, kept.get(id) ?? bytes);
        return kept.get(id);
      },
    });
  },
  'reads of the same bytes at once share them': joined((id, from, length) => [id, from, length]),
  'what was read could grow to the most that is read': turned((bytes) => {
    const grown = new Uint8Array(new ArrayBuffer(bytes.length, { maxByteLength: 1_048_576 }));
    grown.set(bytes);
    return grown;
  }),
  'a read of nothing at the end finds no archive': turned((bytes, _id, from) =>
    bytes.length === 0 && from > 0 ? undefined : bytes,
  ),
  'a read of nothing does not look at its signal': does('read', (store, id, from, length, signal) =>
    store.read(id, from, length, length === 0 ? undefined : signal),
  ),
  'a read of nothing may begin behind the end': does('read', async (store, id, from, length, signal) => {
    if (length > 0) return await store.read(id, from, length, signal);
    return await store.read(id, Math.min(from, (await store.size(id, signal)) ?? from), 0, signal);
  }),
  'where a read begins has 32 bits': asks('read', (id, from, length, signal) =>
    Number.isSafeInteger(from) && from >= 0 ? [id, from >>> 0, length, signal] : [id, from, length, signal],
  ),
  'a read of more than the most is answered': does('read', async (store, id, from, length, signal) => {
    if (length !== 1_048_577) return await store.read(id, from, length, signal);
    const [most, last] = [await store.read(id, from, 1_048_576), await store.read(id, from + 1_048_576, 1)];
    return most && last && new Uint8Array([...most, ...last]);
  }),
  'the most that is read is one byte less': does('read', async (store, id, from, length, signal) => {
    if (length >= 1_048_576) throw new TypeError('too long');
    return await store.read(id, from, length, signal);
  }),
  'a read over three blocks has the second one twice': turned((bytes, _id, from) => {
    const second = BLOCK - (from % BLOCK);
    if (bytes.length >= second + 2 * BLOCK) bytes.copyWithin(second + BLOCK, second, second + BLOCK);
    return bytes;
  }),
  'who finds no archive never finds out how large it is': () => (store) => {
    const absent = new Set<ArchiveId>();
    return {
      read: async (...inputs) => {
        const bytes = await store.read(...inputs);
        if (bytes === undefined) absent.add(inputs[0]);
        return bytes;
      },
      size: async (id, signal) => {
        const size = await store.size(id, signal);
        return absent.has(id) ? undefined : size;
      },
    };
  },
  'a handle keeps the file open that it read last': () => (store) => {
    let last: { id: ArchiveId; bytes: Bytes } | undefined;
    return {
      read: async (id, from, length, signal) => {
        const found = await store.read(id, from, length, signal);
        if (found === undefined) return last?.id === id ? last.bytes.slice(from, from + length) : undefined;
        const size = (await store.size(id)) ?? 0;
        if (last?.id !== id && size <= 1_048_576) {
          const bytes = await store.read(id, 0, size);
          last = bytes && { id, bytes };
        }
        return found;
      },
    };
  },
  'an archive is looked for by its first 49 characters': () => (store) => ({
    read: async (id, ...rest) => {
      const bytes = await store.read(id, ...rest);
      if (bytes !== undefined) return bytes;
      const alike = (await store.list(undefined, 10_000)).find(
        (other) => other.slice(0, 49) === id.slice(0, 49),
      );
      return alike && (await store.read(alike, ...rest));
    },
  }),
  'an archive of nothing has no size': () => (store) => ({
    size: async (id, signal) => (await store.size(id, signal)) || undefined,
  }),
  'sizes asked for at once are all the first': () => (store) => {
    let running: Promise<number | undefined> | undefined;
    return {
      size: (id, signal) => {
        running ??= store.size(id, signal).finally(() => {
          running = undefined;
        });
        return running;
      },
    };
  },
  'a read under way fails when its archive is deleted': () => (store) => {
    const deleted = new Set<ArchiveId>();
    return {
      delete: (id, signal) => {
        deleted.add(id);
        return store.delete(id, signal);
      },
      read: async (...inputs) => {
        const bytes = store.read(...inputs);
        await bytes.catch(() => undefined);
        if (!deleted.has(inputs[0]) || (await store.size(inputs[0]).catch(() => 0)) !== undefined)
          return await bytes;
        if ((await bytes) !== undefined)
          throw new Fault('storage_unavailable', 'the file is stale', { cause: 'ESTALE' });
        return undefined;
      },
    };
  },
};
