import { type ArchiveId, type ArchiveStorage, Fault, instant } from '@pinfold/core';
import { archiveIdOf, MAX_READ } from '@pinfold/core/adapter';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { type Bytes, type OwnStorage, storing } from './own-storage.ts';

const { answers, keeps, listensIn, coversUp, isRawIn, isCurtIn, misnames } = waysOf<ArchiveStorage>();

type Read = ArchiveStorage['read'];

/** A storage whose reads are wrong. */
const reading = (change: (own: OwnStorage) => Read) => storing((own) => ({ read: change(own) }));

const ranges: Sabotages<ArchiveStorage> = {
  'a range has its end in it': reading(
    (own) => (id, from, length, signal) => own.read(id, from, length + 1, signal),
  ),
  'none asked for is all that follows': reading(
    (own) => async (id, from, length, signal) => own.read(id, from, length === 0 ? MAX_READ : length, signal),
  ),
  'none asked for is an absent archive': reading((own) => async (id, from, length, signal) => {
    const bytes = await own.read(id, from, length, signal);
    return bytes?.length === 0 ? undefined : bytes;
  }),
  'none asked for is there, whether the archive is or not': reading(
    (own) => async (id, from, length, signal) =>
      (await own.read(id, from, length, signal)) ?? (length === 0 ? new Uint8Array(0) : undefined),
  ),
  'none at the very end is outside': reading((own) => async (id, from, length, signal) => {
    if (from > 0 && from === (await own.size(id, signal))) throw new Fault('storage_unavailable', 'outside');
    return own.read(id, from, length, signal);
  }),
  'one read gives 64 KiB at most': reading(
    (own) => (id, from, length, signal) => own.read(id, from, Math.min(length, 65_536), signal),
  ),
  'the longest read has a byte too few': reading(
    (own) => (id, from, length, signal) => own.read(id, from, Math.min(length, MAX_READ - 1), signal),
  ),
  'a read across 1 MiB of the archive stops there': reading(
    (own) => (id, from, length, signal) =>
      own.read(id, from, Math.min(length, MAX_READ - (from % MAX_READ)), signal),
  ),
  'the last byte is not given': reading((own) => async (id, from, length, signal) => {
    const size = (await own.size(id, signal)) ?? 0;
    return own.read(id, from, Math.min(length, Math.max(0, size - 1 - from)), signal);
  }),
  'reads on one handle move one position': reading((own) => {
    let position = 0;
    return async (id, from, length, signal) => {
      position = from;
      await own.reach(signal);
      return own.read(id, position, length, signal);
    };
  }),
  'reads of one archive at once are one': reading((own) => {
    const running = new Map<ArchiveId, ReturnType<Read>>();
    return (id, from, length, signal) => {
      const begun = running.get(id) ?? own.read(id, from, length, signal).finally(() => running.delete(id));
      running.set(id, begun);
      return begun;
    };
  }),
  'the same read twice at once gives both the same bytes': reading((own) => {
    const running = new Map<string, ReturnType<Read>>();
    return (id, from, length, signal) => {
      if (signal !== undefined) return own.read(id, from, length, signal);
      const key = `${id} ${from} ${length}`;
      const begun = running.get(key) ?? own.read(id, from, length).finally(() => running.delete(key));
      running.set(key, begun);
      return begun;
    };
  }),
  'the same read twice at once is aborted twice': reading((own) => {
    const running = new Map<string, ReturnType<Read>>();
    return (id, from, length, signal) => {
      const key = `${id} ${from} ${length}`;
      const begun =
        running.get(key) ??
        own
          .read(id, from, length)
          .then(async (bytes) => {
            await turns(1);
            signal?.throwIfAborted();
            return bytes;
          })
          .finally(() => running.delete(key));
      running.set(key, begun);
      return begun.then((bytes) => {
        signal?.throwIfAborted();
        return bytes?.slice();
      });
    };
  }),
};

const owned: Sabotages<ArchiveStorage> = {
  'what was read is what it keeps': reading((own) => async (id, from, length, signal) => {
    await own.reach(signal);
    return own.kept.get(id)?.subarray(from, from + length);
  }),
  'all reads of a handle are in one piece of memory': reading((own) => {
    const memory = new Uint8Array(MAX_READ);
    return async (id, from, length, signal) => {
      const bytes = await own.read(id, from, length, signal);
      if (bytes === undefined) return undefined;
      memory.set(bytes);
      return memory.subarray(0, bytes.length);
    };
  }),
  'small reads are pieces of a pool': reading((own) => async (id, from, length, signal) => {
    const bytes = await own.read(id, from, length, signal);
    return bytes && (Buffer.from(bytes) as Bytes);
  }),
  'a read keeps the whole block that it was read with': reading((own) => async (id, from, length, signal) => {
    const block = from - (from % 512);
    const bytes = await own.read(id, block, from - block + length, signal);
    return bytes?.subarray(from - block);
  }),
  'it remembers what was read from a byte on, however much': reading((own) => {
    const known = new Map<string, Bytes>();
    return async (id, from, length, signal) => {
      const bytes = known.get(`${id} ${from}`) ?? (await own.read(id, from, length, signal));
      if (bytes !== undefined && length > 0) known.set(`${id} ${from}`, bytes);
      return (await own.read(id, 0, 0, signal)) && bytes?.slice(0, length);
    };
  }),
  'it remembers bytes, and gives the same ones again': reading((own) => {
    const known = new Map<string, Bytes>();
    return async (id, from, length, signal) => {
      const bytes = await own.read(id, from, length, signal);
      if (bytes === undefined) return undefined;
      const key = `${id} ${from} ${length}`;
      known.set(key, known.get(key) ?? bytes);
      return known.get(key);
    };
  }),
  'it remembers what it has read of deleted archives': reading((own) => {
    const known = new Map<string, Bytes>();
    return async (id, from, length, signal) => {
      const key = `${id} ${from} ${length}`;
      const bytes = await own.read(id, from, length, signal);
      if (bytes !== undefined) known.set(key, bytes);
      return known.get(key)?.slice();
    };
  }),
};

const absent: Sabotages<ArchiveStorage> = {
  'a read of an absent archive is a fault': reading((own) => async (id, from, length, signal) => {
    const bytes = await own.read(id, from, length, signal);
    if (bytes === undefined) throw new Fault('storage_unavailable', 'absent');
    return bytes;
  }),
  'a deleted archive has no bytes': reading((own) => {
    const known = new Set<ArchiveId>();
    return async (id, from, length, signal) => {
      const bytes = await own.read(id, from, length, signal);
      if (bytes !== undefined) known.add(id);
      return bytes ?? (known.has(id) ? new Uint8Array(0) : undefined);
    };
  }),
  'it remembers that an archive was absent': reading((own) => {
    const missing = new Set<ArchiveId>();
    return async (id, from, length, signal) => {
      const bytes = await own.read(id, from, length, signal);
      if (bytes === undefined) missing.add(id);
      return missing.has(id) ? undefined : bytes;
    };
  }),
  'a storage that does not answer has no archives': coversUp('read', undefined),
  'none asked for is there, whether the storage answers or not': reading(
    (own) => async (id, from, length, signal) =>
      length === 0 && !own.kept.has(id) ? undefined : own.read(id, from, length, signal),
  ),
  'the size of an absent archive is 0': answers('size', (size) => size ?? 0),
  'an archive without bytes has no size': answers('size', (size) => size || undefined),
  'the size of an archive is that of its blocks': answers(
    'size',
    (size) => size && Math.ceil(size / 512) * 512,
  ),
  'the size is what one read gives': answers('size', (size) => size && Math.min(size, MAX_READ)),
  'only the handle that put an archive knows its size': storing((own) => {
    const sizes = new Map<ArchiveId, number>();
    return {
      put: async (id, archive, signal) => {
        await own.put(id, archive, signal);
        sizes.set(id, archive.size);
      },
      size: async (id, signal) => ((await own.size(id, signal)) === undefined ? undefined : sizes.get(id)),
    };
  }),
  'it remembers sizes of deleted archives': storing((own) => {
    const sizes = new Map<ArchiveId, number>();
    return {
      size: async (id, signal) => {
        const size = await own.size(id, signal);
        if (size !== undefined) sizes.set(id, size);
        return sizes.get(id);
      },
    };
  }),
  'archives have no size while the storage does not answer': coversUp('size', undefined),
};

const failing: Sabotages<ArchiveStorage> = {
  'a read that was aborted has no bytes': reading(
    (own) => async (id, from, length, signal) =>
      own.read(id, from, length, signal).catch((error: unknown) => {
        if (signal?.aborted) return undefined;
        throw error;
      }),
  ),
  'a read that is aborted on the way gives zeros for what is missing': reading(
    (own) => async (id, from, length, signal) => {
      const bytes = await own.read(id, from, length, signal);
      await turns(1);
      if (signal?.aborted) bytes?.fill(0, bytes.length / 2);
      return bytes;
    },
  ),
  'an aborted read throws at once, before there is a promise': storing((own) => ({
    read: (id, from, length, signal) => {
      signal?.throwIfAborted();
      return own.read(id, from, length, signal);
    },
  })),
  'a read of an absent archive goes on listening': reading((own) => async (id, from, length, signal) => {
    const stop = (): void => undefined;
    signal?.addEventListener('abort', stop);
    const bytes = await own.read(id, from, length, signal);
    if (bytes !== undefined) signal?.removeEventListener('abort', stop);
    return bytes;
  }),
  'a size goes on listening': listensIn('size'),
  'a read lets out what the backend said': isRawIn('read'),
  'a size does not say what failed': isCurtIn('size'),
  'a check says that a database failed': misnames('check', 'store_unavailable'),
  'a list throws a fault that is none': storing((own) => ({
    list: (after, limit, signal) =>
      own.list(after, limit, signal).catch((error: unknown) => {
        if (!(error instanceof Fault)) throw error;
        const { code, message, cause } = error;
        throw Object.assign(new Error(message, { cause }), { name: 'Fault', code });
      }),
  })),
  'a check remembers that all was well': keeps('check'),
  'a check sees nothing wrong': coversUp('check', undefined),
  'a check leaves its probe among the archives': storing((own) => ({
    check: async (signal) => {
      await own.reach(signal);
      own.kept.set(PROBE, new Uint8Array(1));
    },
  })),
  'a check removes the oldest archive, taking it for its probe': storing((own) => ({
    check: async (signal) => {
      await own.reach(signal);
      const [oldest] = own.kept.keys();
      if (oldest !== undefined) own.kept.delete(oldest);
    },
  })),
};

const PROBE = archiveIdOf(instant(0), '00000000-0000-4000-8000-000000000000');

export const blindArchives: Sabotages<ArchiveStorage> = { ...ranges, ...owned, ...absent, ...failing };
