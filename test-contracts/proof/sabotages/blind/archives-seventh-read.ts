import { type ArchiveId, type ArchiveStorage, Fault, isFault } from '@pinfold/core';
import { type Sabotages, turns, waysOf } from '../ways.ts';

const { answers, asks, does } = waysOf<ArchiveStorage>();

const PART = 65_536;

type Bytes = Uint8Array<ArrayBuffer>;

export const seventhArchivesRead: Sabotages<ArchiveStorage> = {
  'read: none of what is absent is empty': answers('read', (bytes, _id, _from, length) =>
    length === 0 ? (bytes ?? new Uint8Array()) : bytes,
  ),
  'read: none is empty, whoever does not answer': does('read', (store, id, from, length, signal) =>
    store.read(id, from, length, signal).catch((error: unknown) => {
      if (length !== 0 || !isFault(error) || signal?.aborted) throw error;
      return new Uint8Array();
    }),
  ),
  'read: none at the end is out of range': does('read', async (store, id, from, length, signal) => {
    const bytes = await store.read(id, from, length, signal);
    if (bytes && length === 0 && from > 0 && from === (await store.size(id))) throw new RangeError('416');
    return bytes;
  }),
  'read: none beyond the end is empty': does('read', (store, id, from, length, signal) =>
    store.read(id, from, length, signal).catch((error: unknown) => {
      if (signal?.aborted || isFault(error) || length !== 0 || !(Number.isSafeInteger(from) && from >= 0))
        throw error;
      return new Uint8Array();
    }),
  ),
  'read: a beginning has 32 bits': asks('read', (id, from, length, signal) => [
    id,
    from % 2 ** 32,
    length,
    signal,
  ]),
  "read: at a part's boundary the part before": asks('read', (id, from, length, signal) => [
    id,
    from > 0 && from % PART === 0 ? from - PART : from,
    length,
    signal,
  ]),
  'read: few bytes lie in a pool': answers('read', (bytes) => {
    if (bytes === undefined || bytes.length > 32) return bytes;
    const pooled = new Uint8Array(new ArrayBuffer(8192), 0, bytes.length);
    pooled.set(bytes);
    return pooled;
  }),
  'read: the same for all but the first': () => (store) => {
    const kept = new Map<string, Bytes>();
    return {
      read: async (id, from, length, signal) => {
        const bytes = await store.read(id, from, length, signal);
        if (bytes === undefined) return undefined;
        const asked = `${id} ${from} ${length}`;
        const known = kept.get(asked);
        if (known === undefined) kept.set(asked, bytes.slice());
        return known ?? bytes;
      },
    };
  },
  'read: a delete wipes what was read': () => (store) => {
    const given = new Map<ArchiveId, Bytes[]>();
    return {
      read: async (id, from, length, signal) => {
        const bytes = await store.read(id, from, length, signal);
        if (bytes) given.set(id, [...(given.get(id) ?? []), bytes]);
        return bytes;
      },
      delete: async (id, signal) => {
        await store.delete(id, signal);
        for (const bytes of given.get(id) ?? []) bytes.fill(0);
      },
    };
  },
  'read: joins one under way that began at the same byte': () => (store) => {
    const running = new Map<string, Promise<Bytes | undefined>>();
    return {
      read: async (id, from, length, signal) => {
        const asked = `${id} ${from}`;
        const other = signal?.aborted ? undefined : running.get(asked);
        if (other !== undefined) return (await other)?.slice();
        const call = store.read(id, from, length, signal).finally(() => running.delete(asked));
        running.set(asked, call);
        return call;
      },
    };
  },
  'read: joins its like, and is aborted with it': () => (store) => {
    const running = new Map<string, Promise<Bytes | undefined>>();
    return {
      read: async (id, from, length, signal) => {
        signal?.throwIfAborted();
        const asked = `${id} ${from} ${length}`;
        const other = running.get(asked);
        if (other !== undefined) return (await other)?.slice();
        const call = turns(3)
          .then(() => store.read(id, from, length, signal))
          .finally(() => running.delete(asked));
        running.set(asked, call);
        return call;
      },
    };
  },
  'read: what was absent once is absent to the handle': () => (store) => {
    const absent = new Set<ArchiveId>();
    return {
      read: async (id, from, length, signal) => {
        const bytes = await store.read(id, from, length, signal);
        if (bytes === undefined) absent.add(id);
        return absent.has(id) ? undefined : bytes;
      },
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        absent.delete(id);
      },
    };
  },
  'read: within what was read last nobody is asked': () => (store) => {
    let last: { id: ArchiveId; from: number; bytes: Bytes } | undefined;
    return {
      read: async (id, from, length, signal) => {
        const whole = Number.isInteger(from) && Number.isInteger(length);
        if (whole && last?.id === id && from >= last.from && length > 0 && length < last.bytes.length) {
          const part = last.bytes.slice(from - last.from, from - last.from + length);
          if (part.length === length && !signal?.aborted) return part;
        }
        const bytes = await store.read(id, from, length, signal);
        last = bytes && { id, from, bytes: bytes.slice() };
        return bytes;
      },
      delete: async (id, signal) => {
        await store.delete(id, signal);
        if (last?.id === id) last = undefined;
      },
    };
  },
  'read: one that ends beside a delete is kept': () => {
    const kept = new Map<ArchiveId, Map<string, Bytes>>();
    return (store) => ({
      read: async (id, from, length, signal) => {
        const asked = `${from} ${length}`;
        const known = kept.get(id)?.get(asked);
        if (known) return store.check(signal).then(() => known.slice());
        const bytes = await store.read(id, from, length, signal);
        if (bytes) kept.set(id, new Map(kept.get(id)).set(asked, bytes.slice()));
        return bytes;
      },
      delete: async (id, signal) => {
        kept.delete(id);
        await store.delete(id, signal);
      },
    });
  },
  'read: of what is absent no signal is looked at': does('read', async (store, id, from, length, signal) =>
    (await store.size(id)) === undefined ? undefined : store.read(id, from, length, signal),
  ),
  'read: more than a hundred at once are turned away': () => (store) => {
    let running = 0;
    return {
      read: async (id, from, length, signal) => {
        if (running >= 100) throw new Fault('storage_unavailable', 'busy', { cause: new Error('EMFILE') });
        running += 1;
        return store.read(id, from, length, signal).finally(() => {
          running -= 1;
        });
      },
    };
  },
  'read: what is deleted half-way ends in zeros': does('read', async (store, id, from, length, signal) => {
    const half = Math.floor(length / 2);
    if (half === 0 || length > 1_048_576) return store.read(id, from, length, signal);
    const first = await store.read(id, from, half, signal);
    await turns(2);
    const rest = await store.read(id, from + half, length - half, signal);
    if (first === undefined) return undefined;
    const whole = new Uint8Array(length);
    whole.set(first);
    if (rest) whole.set(rest, half);
    return whole;
  }),
};
