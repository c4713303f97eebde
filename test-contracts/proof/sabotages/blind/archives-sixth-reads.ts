import { type ArchiveId, type ArchiveStorage, Fault } from '@pinfold/core';
import { checkReadRange } from '@pinfold/core/adapter';
import { type Sabotages, turns, waysOf } from '../ways.ts';

const { does, asks } = waysOf<ArchiveStorage>();

type Bytes = Awaited<ReturnType<ArchiveStorage['read']>>;

/** Reads that wait for others, or keep something. */
const kept: Sabotages<ArchiveStorage> = {
  'reads are kept under their numbers, one beside the other': () => (store) => {
    const known = new Map<string, Uint8Array<ArrayBuffer>>();
    return {
      read: async (id, from, length, signal) => {
        if ((await store.size(id, signal)) === undefined) return undefined;
        const asked = `${id}/${from}${length}`;
        const bytes = known.get(asked) ?? (await store.read(id, from, length, signal));
        if (bytes !== undefined) known.set(asked, bytes.slice());
        return bytes?.slice();
      },
    };
  },
  'two that read the same at once get the same bytes': () => (store) => {
    const reading = new Map<string, Promise<Bytes>>();
    return {
      read: async (id, from, length, signal) => {
        signal?.throwIfAborted();
        const asked = `${id}/${from}/${length}`;
        const read = reading.get(asked) ?? turns(1).then(() => store.read(id, from, length));
        reading.set(asked, read);
        return read.finally(() => reading.delete(asked));
      },
    };
  },
  'who aborts a read aborts it for those who read the same': () => (store) => {
    const reading = new Map<string, Promise<Bytes>>();
    return {
      read: async (id, from, length, signal) => {
        signal?.throwIfAborted();
        const asked = `${id}/${from}/${length}`;
        const read = reading.get(asked) ?? turns(3).then(() => store.read(id, from, length, signal));
        reading.set(asked, read);
        const bytes = await read.finally(() => reading.delete(asked));
        signal?.throwIfAborted();
        return bytes?.slice();
      },
    };
  },
  'reads of an archive at once become one that is too long': () => (store) => {
    const batches = new Map<ArchiveId, { first: number; end: number }>();
    return {
      read: async (id, from, length, signal) => {
        signal?.throwIfAborted();
        const batch = batches.get(id) ?? { first: from, end: from };
        batches.set(id, batch);
        batch.first = Math.min(batch.first, from);
        batch.end = Math.max(batch.end, from + length);
        await turns(1);
        batches.delete(id);
        checkReadRange(batch.first, batch.end - batch.first);
        return store.read(id, from, length, signal);
      },
    };
  },
  'what comes next was read already, whoever deletes it': () => (store) => {
    let ahead: { asked: string; bytes: Uint8Array<ArrayBuffer> } | undefined;
    return {
      read: async (id, from, length, signal) => {
        signal?.throwIfAborted();
        if (ahead?.asked === `${id}/${from}/${length}`) return ahead.bytes.slice();
        const bytes = await store.read(id, from, length, signal);
        const next = await store.read(id, from + length, length).catch(() => undefined);
        if (next !== undefined) ahead = { asked: `${id}/${from + length}/${length}`, bytes: next };
        return bytes;
      },
    };
  },
  'the ninth read of a length has the memory of the first': () => (store) => {
    const pools = new Map<number, Uint8Array<ArrayBuffer>[]>();
    return {
      read: async (id, from, length, signal) => {
        const bytes = await store.read(id, from, length, signal);
        if (bytes === undefined) return undefined;
        const pool = pools.get(length) ?? [];
        pools.set(length, pool);
        const old = pool.length === 8 ? (pool.shift() ?? bytes) : bytes;
        if (old !== bytes) old.set(bytes);
        pool.push(old);
        return old;
      },
    };
  },
  'who reads a whole archive gets what is kept': () => (store) => {
    const wholes = new Map<ArchiveId, Uint8Array<ArrayBuffer>>();
    return {
      read: async (id, from, length, signal) => {
        const bytes = await store.read(id, from, length, signal);
        if (bytes === undefined || from > 0 || (await store.size(id)) !== length) return bytes;
        wholes.set(id, wholes.get(id) ?? bytes);
        return wholes.get(id);
      },
    };
  },
  'an archive that was not there when it was read stays away': () => (store) => {
    const missed = new Set<ArchiveId>();
    return {
      put: (id, ...inputs) => store.put(id, ...inputs).then(() => void missed.delete(id)),
      read: async (id, ...inputs) => {
        const bytes = await store.read(id, ...inputs);
        if (bytes === undefined) missed.add(id);
        return missed.has(id) ? undefined : bytes;
      },
    };
  },
  'a read that is rejected keeps its place among eight': () => (store) => {
    let places = 8;
    const waiting: (() => void)[] = [];
    return {
      read: async (...inputs) => {
        if (places > 0) places -= 1;
        else await new Promise<void>((begin) => waiting.push(begin));
        const bytes = await store.read(...inputs);
        const next = waiting.shift();
        if (next === undefined) places += 1;
        else next();
        return bytes;
      },
    };
  },
};

export const sixthArchivesReads: Sabotages<ArchiveStorage> = {
  ...kept,
  'a read of nothing keeps the memory of all': does('read', async (store, id, from, length, signal) => {
    const bytes = await store.read(id, from, length, signal);
    if (bytes === undefined || length > 0) return bytes;
    return new Uint8Array((await store.size(id)) ?? 0).subarray(0, 0);
  }),
  'the end of an archive of whole pages needs one page more': does(
    'read',
    async (store, id, from, length, signal) => {
      const bytes = await store.read(id, from, length, signal);
      const end = from + length;
      if (bytes === undefined || length === 0 || end % 4_096 > 0 || end !== (await store.size(id)))
        return bytes;
      throw new Fault('storage_unavailable', 'a page is not there');
    },
  ),
  'a read begins at a number of 32 bits': asks('read', (id, from, length, signal) => [
    id,
    Number.isSafeInteger(from) ? from % 2 ** 32 : from,
    length,
    signal,
  ]),
  'only the end of a range is asked to be whole': asks('read', (id, from, length, signal) =>
    Number.isInteger(from + length)
      ? [id, Math.trunc(from), from + length - Math.trunc(from), signal]
      : [id, from, length, signal],
  ),
  'a read that is aborted by what looks like a missing file finds nothing': does('read', (store, ...inputs) =>
    store.read(...inputs).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }),
  ),
  'the second half of what is deleted on the way is zeroes': does(
    'read',
    async (store, id, from, length, signal) => {
      const bytes = await store.read(id, from, length, signal);
      await turns(3);
      signal?.throwIfAborted();
      if ((await store.size(id)) === undefined) bytes?.fill(0, length >> 1);
      return bytes;
    },
  ),
};
