import { type ArchiveId, type ArchiveStorage, isFault } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from '../ways.ts';

const { answers, asks, does } = waysOf<ArchiveStorage>();

type Read = Parameters<ArchiveStorage['read']>;

const MIB = 1_048_576;
const CHUNK = 262_144;

/** Reads that are asked at once, and that are the same by `keyOf`, are one. */
const joining =
  (keyOf: (id: ArchiveId, from: number, length: number) => string): Spoiling<ArchiveStorage> =>
  () =>
  (store) => {
    const flights = new Map<string, ReturnType<ArchiveStorage['read']>>();
    return {
      read: async (...[id, from, length, signal]: Read) => {
        signal?.throwIfAborted();
        const key = keyOf(id, from, length);
        const flight = flights.get(key) ?? store.read(id, from, length).finally(() => flights.delete(key));
        flights.set(key, flight);
        return flight;
      },
    };
  };

export const secondArchivesReads: Sabotages<ArchiveStorage> = {
  'a read over three chunks loses the middle one': answers('read', (bytes, _, from, length) =>
    bytes?.fill(
      0,
      (Math.floor(from / CHUNK) + 1) * CHUNK - from,
      Math.floor((from + length - 1) / CHUNK) * CHUNK - from,
    ),
  ),
  'part 10 is read where part 2 belongs': does('read', async (store, id, from, length, signal) => {
    const isSecond = from >= MIB && from + length <= 2 * MIB && ((await store.size(id)) ?? 0) >= 11 * MIB;
    return store.read(id, isSecond ? from + 9 * MIB : from, length, signal);
  }),
  'the ends of lines are one byte': answers('read', (bytes) =>
    bytes?.map((byte, n) => (byte === 13 && bytes[n + 1] === 10 ? 10 : byte)),
  ),
  'whatever is read from an empty archive is nothing': does('read', async (store, id, ...asked) =>
    (await store.size(id, asked[2])) === 0 ? new Uint8Array() : store.read(id, ...asked),
  ),
  'none is not read at the very end': does('read', async (store, id, from, length, signal) => {
    if (length === 0 && from === (await store.size(id))) throw new TypeError('nothing to read');
    return store.read(id, from, length, signal);
  }),
  'none is read beyond the end': does('read', async (store, id, from, length, signal) =>
    length === 0 && from > ((await store.size(id)) ?? from)
      ? new Uint8Array()
      : store.read(id, from, length, signal),
  ),
  'where a read begins is a float of 32 bits': asks('read', (id, from, length, signal) => [
    ...[id, from > 2 ** 24 ? Math.fround(from) : from],
    ...[length, signal],
  ]),
  'fractions of a length are cut off': asks('read', (id, from, length, signal) => [
    id,
    from,
    Math.trunc(length),
    signal,
  ]),
  'more than the most is read, in two': does('read', async (store, id, from, length, signal) => {
    if (!(length > MAX_READ && length <= 2 * MAX_READ)) return store.read(id, from, length, signal);
    const first = await store.read(id, from, MAX_READ, signal);
    const rest = await store.read(id, from + MAX_READ, length - MAX_READ, signal);
    return first && rest && Uint8Array.from(Buffer.concat([first, rest]));
  }),
  'what begins beyond the end is absent': does('read', (store, id, from, length, signal) =>
    store.read(id, from, length, signal).catch(async (error: unknown) => {
      if (Number.isSafeInteger(from) && from >= ((await store.size(id)) ?? 0)) return undefined;
      throw error;
    }),
  ),
  'too long a read is out of range': does('read', (store, id, from, length, signal) =>
    store.read(id, from, length, signal).catch((error: unknown) => {
      throw length > MAX_READ && error instanceof TypeError ? new RangeError(error.message) : error;
    }),
  ),
  'a whole archive that was read is kept as it is': () => (store) => {
    const kept = new Map<ArchiveId, Uint8Array<ArrayBuffer>>();
    return {
      read: async (...[id, from, length, signal]: Read) => {
        const size = await store.size(id, signal);
        if (size === undefined || from !== 0 || length !== size) return store.read(id, from, length, signal);
        const bytes = kept.get(id) ?? (await store.read(id, from, length, signal));
        if (bytes !== undefined) kept.set(id, bytes);
        return bytes;
      },
    };
  },
  'the same reads at once share their bytes': joining((id, from, length) => [id, from, length].join()),
  'reads at once from one place are as long as the first': joining((id, from) => [id, from].join()),
  'reads at once of one range are of the first archive': joining((_, from, length) => [from, length].join()),
  'reads at the end keep a block': does('read', async (store, id, from, length, signal) => {
    const bytes = await store.read(id, from, length, signal);
    if (bytes === undefined || from + length !== (await store.size(id))) return bytes;
    const block = new Uint8Array(length + 4_096);
    block.set(bytes);
    return block.subarray(0, length);
  }),
  'a read where the last one ended goes on in the same archive': () => (store) => {
    let last: { id: ArchiveId; end: number } | undefined;
    return {
      read: async (...[id, from, length, signal]: Read) => {
        const goesOn = last !== undefined && last.end === from && length > 0 ? last.id : id;
        const bytes = await store.read(goesOn, from, length, signal).catch(() => undefined);
        last = { id: goesOn, end: from + length };
        return bytes ?? store.read(id, from, length, signal);
      },
    };
  },
  'what a handle read is there until it deletes it': () => (store) => {
    const kept = new Map<string, Uint8Array<ArrayBuffer>>();
    return {
      read: async (...[id, from, length, signal]: Read) => {
        signal?.throwIfAborted();
        const key = [id, from, length].join();
        const bytes = kept.get(key) ?? (await store.read(id, from, length, signal));
        if (bytes !== undefined) kept.set(key, bytes);
        return bytes?.slice();
      },
      delete: async (id, signal) => {
        await store.delete(id, signal);
        for (const key of kept.keys()) if (key.startsWith(id)) kept.delete(key);
      },
    };
  },
  'a read that loses its archive on the way fails': does('read', async (store, id, ...asked) => {
    const bytes = await store.read(id, ...asked);
    if (bytes !== undefined && (await store.size(id)) === undefined)
      throw new Error('gone while it was read');
    return bytes;
  }),
  'none is read without asking': does('read', async (store, id, from, length, signal) =>
    length === 0 && signal === undefined ? new Uint8Array() : store.read(id, from, length, signal),
  ),
  'a reason that looks like a missing file is an absent archive': does('read', (store, ...asked) =>
    store.read(...asked).catch((error: unknown) => {
      if (!isFault(error) && (error as { code?: unknown } | null)?.code === 'ENOENT') return undefined;
      throw error;
    }),
  ),
  'reading what is absent goes on listening': does('read', async (store, id, from, length, signal) => {
    const bytes = await store.read(id, from, length, signal);
    if (bytes === undefined) signal?.addEventListener('abort', () => undefined);
    return bytes;
  }),
  'the size of whole blocks lacks one': answers('size', (size) =>
    size !== undefined && size > 0 && size % 65_536 === 0 ? size - 65_536 : size,
  ),
  'zeros at the end have no size': does('size', async (store, id, signal) => {
    let size = await store.size(id, signal);
    while (size !== undefined && size > 0 && (await store.read(id, size - 1, 1))?.[0] === 0) size -= 1;
    return size;
  }),
  'a handle remembers what was absent': () => (store) => {
    const absent = new Set<ArchiveId>();
    return {
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        absent.delete(id);
      },
      size: async (id, signal) => {
        const size = absent.has(id) ? undefined : await store.size(id, signal);
        if (size === undefined) absent.add(id);
        return size;
      },
    };
  },
  'sizes stay when archives go': () => {
    const sizes = new Map<ArchiveId, number>();
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        sizes.set(id, archive.size);
      },
      size: async (id, signal) => (await store.size(id, signal)) ?? sizes.get(id),
    });
  },
  'a known size is told while nothing answers': () => {
    const sizes = new Map<ArchiveId, number>();
    return (store) => ({
      size: async (id, signal) => {
        const size = await store.size(id, signal).catch((error: unknown) => {
          if (isFault(error) && sizes.has(id)) return sizes.get(id);
          throw error;
        });
        if (size === undefined) sizes.delete(id);
        else sizes.set(id, size);
        return size;
      },
    });
  },
};
