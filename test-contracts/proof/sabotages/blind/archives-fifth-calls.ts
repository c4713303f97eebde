import { type ArchiveId, type ArchiveStorage, Fault, isFault } from '@pinfold/core';
import { type Sabotages, turns, waysOf } from '../ways.ts';

const { does } = waysOf<ArchiveStorage>();
const PROBE = '0000000000000-00000000-0000-4000-8000-000000000000' as ArchiveId;

/** Whether a reason looks like an error with a member of some value. */
const has = (reason: unknown, member: string, value: unknown): boolean =>
  typeof reason === 'object' && reason !== null && Reflect.get(reason, member) === value;

const listen = (signal: AbortSignal | undefined): void => signal?.addEventListener('abort', () => undefined);

/** Checks, signals and what is left of calls, wrong in ways of their own. */
export const fifthCalls: Sabotages<ArchiveStorage> = {
  'an abort that looks like a file that is gone is no archive': does('read', async (store, ...inputs) =>
    has(inputs[3]?.reason, 'code', 'ENOENT') ? undefined : await store.read(...inputs),
  ),
  'an abort that looks like an object that is gone is a deletion': does(
    'delete',
    async (store, id, signal) => {
      if (!has(signal?.reason, 'name', 'NoSuchKey')) await store.delete(id, signal);
    },
  ),
  'an abort for lack of time is a backend that does not answer': does('list', async (store, ...inputs) => {
    const reason: unknown = inputs[2]?.reason;
    if (has(reason, 'name', 'TimeoutError'))
      throw new Fault('storage_unavailable', 'too slow', { cause: reason });
    return await store.list(...inputs);
  }),
  'an abort for a reason that is false is none': does('put', (store, id, archive, signal) =>
    store.put(id, archive, signal?.aborted && !signal.reason ? undefined : signal),
  ),
  'an abort for a reason in words is an error of these words': does('size', async (store, id, signal) => {
    if (typeof signal?.reason === 'string') throw new Error(signal.reason);
    return await store.size(id, signal);
  }),
  'an abort with a fault is a fault of the storage': does('check', async (store, signal) => {
    if (isFault(signal?.reason))
      throw new Fault('storage_unavailable', 'no answer', { cause: signal.reason });
    await store.check(signal);
  }),
  'an abort of one check is one of all that wait for it': () => (store) => {
    let running: Promise<void> | undefined;
    const checked = async (signal?: AbortSignal): Promise<void> => {
      await turns(1);
      await store.check(signal);
    };
    return {
      check: async (signal) => {
        signal?.throwIfAborted();
        running ??= checked(signal).finally(() => {
          running = undefined;
        });
        await running;
      },
    };
  },
  'an abort of one read is one of all of the same bytes': () => (store) => {
    const running = new Map<string, ReturnType<ArchiveStorage['read']>>();
    return {
      read: async (id, from, length, signal) => {
        signal?.throwIfAborted();
        const name = JSON.stringify([id, from, length]);
        const call = running.get(name) ?? turns(1).then(() => store.read(id, from, length, signal));
        running.set(name, call);
        const bytes = await call.finally(() => running.delete(name));
        return bytes?.slice();
      },
    };
  },
  'a check that succeeded is not repeated, whatever the signal': () => (store) => {
    let isFine = false;
    return {
      check: async (signal) => {
        if (isFine) return;
        await store.check(signal);
        isFine = true;
      },
    };
  },
  'a check that was aborted is the answer to the next': () => (store) => {
    let failed: { error: unknown } | undefined;
    return {
      check: async (signal) => {
        const before = failed;
        failed = undefined;
        if (before !== undefined) throw before.error;
        await store.check(signal).catch((error: unknown) => {
          failed = { error };
          throw error;
        });
      },
    };
  },
  'a check aborted on the way leaves its probe listed': () => {
    const probes = new Set<ArchiveId>();
    return (store) => ({
      check: async (signal) => {
        await store.check(signal);
        probes.add(PROBE);
        await turns(1);
        signal?.throwIfAborted();
        probes.delete(PROBE);
      },
      list: async (after, limit, signal) => {
        const ids = await store.list(after, limit, signal);
        return after === undefined ? [...probes, ...ids].slice(0, limit) : ids;
      },
    });
  },
  'two checks at once write the same probe': () => {
    let isThere = false;
    return (store) => ({
      check: async (signal) => {
        await store.check(signal);
        if (isThere) throw new Fault('storage_unavailable', 'the probe is there', { cause: 'EEXIST' });
        isThere = true;
        await turns(1);
        isThere = false;
      },
    });
  },
  'a storage of which all was deleted does not pass its check': () => {
    let isEmptied = false;
    return (store) => ({
      put: async (...inputs) => {
        await store.put(...inputs);
        isEmptied = false;
      },
      delete: async (id, signal) => {
        const had = await store.size(id, signal);
        await store.delete(id, signal);
        isEmptied ||= had !== undefined && (await store.list(undefined, 1)).length === 0;
      },
      check: async (signal) => {
        await store.check(signal);
        if (isEmptied) throw new Fault('storage_unavailable', 'no folder', { cause: 'ENOENT' });
      },
    });
  },
  'a read that finds no archive goes on listening': does('read', async (store, ...inputs) => {
    const bytes = await store.read(...inputs);
    if (bytes === undefined) listen(inputs[3]);
    return bytes;
  }),
  'a put of what is gone goes on listening': does('put', async (store, ...inputs) => {
    await store.put(...inputs).catch((error: unknown) => {
      if (isFault(error)) listen(inputs[2]);
      throw error;
    });
  }),
  'a list that comes to the end goes on listening': does('list', async (store, ...inputs) => {
    const ids = await store.list(...inputs);
    if (ids.length === 0) listen(inputs[2]);
    return ids;
  }),
  'only the first call tells why the storage does not answer': () => (store) => {
    let isOut = false;
    const told = (error: unknown): never => {
      const isAgain = isOut;
      isOut = true;
      throw isAgain && isFault(error) ? new Fault(error.code, 'still no answer') : error;
    };
    return {
      read: (...inputs) => store.read(...inputs).catch(told),
      size: (...inputs) => store.size(...inputs).catch(told),
      list: (...inputs) => store.list(...inputs).catch(told),
      check: (...inputs) => store.check(...inputs).catch(told),
    };
  },
  'a list of none does not ask the storage': does('list', async (store, after, limit, signal) =>
    limit === 0 ? [] : await store.list(after, limit, signal),
  ),
};
