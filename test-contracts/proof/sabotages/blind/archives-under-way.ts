import { openSync } from 'node:fs';
import { type ArchiveId, type ArchiveStorage, Fault } from '@pinfold/core';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { stagedBytes, storing } from './own-storage.ts';

const { misnames, wrapsAbortsIn } = waysOf<ArchiveStorage>();

const BLOCK = 65_536;

export const blindArchivesUnderWay: Sabotages<ArchiveStorage> = {
  'an archive can be read while it is written': storing((own) => ({
    put: async (id, archive, signal) => {
      await own.reach(signal);
      const bytes = await stagedBytes(archive);
      const written = new Uint8Array(bytes.length);
      own.kept.set(id, written);
      for (let at = 0; at < bytes.length; at += BLOCK) {
        if (signal?.aborted) own.kept.delete(id);
        signal?.throwIfAborted();
        written.set(bytes.subarray(at, at + BLOCK), at);
        await turns(1);
      }
    },
  })),
  'an archive is listed while it is written': storing(
    (own, begun: Set<ArchiveId>) => ({
      put: async (id, archive, signal) => {
        begun.add(id);
        await turns(3);
        await own.put(id, archive, signal).finally(() => begun.delete(id));
      },
      list: async (after, limit, signal) => {
        await own.list(after, limit, signal);
        const ids = [...new Set([...own.ids(), ...begun])].sort();
        return ids.filter((id) => after === undefined || id > after).slice(0, limit);
      },
    }),
    () => new Set<ArchiveId>(),
  ),
  'an archive has its size before it has its bytes': storing(
    (own, begun: Map<ArchiveId, number>) => ({
      put: async (id, archive, signal) => {
        begun.set(id, archive.size);
        await turns(3);
        await own.put(id, archive, signal).finally(() => begun.delete(id));
      },
      size: async (id, signal) => (await own.size(id, signal)) ?? begun.get(id),
    }),
    () => new Map(),
  ),
  'a put that is aborted leaves what it has written': storing((own) => ({
    put: async (id, archive, signal) => {
      await own.reach(signal);
      const bytes = await stagedBytes(archive);
      if (signal?.aborted) own.kept.set(id, bytes.slice(0, bytes.length / 2));
      signal?.throwIfAborted();
      own.kept.set(id, bytes);
    },
  })),
  'a put that is aborted says that it is done': storing((own) => ({
    put: (id, archive, signal) =>
      own.put(id, archive, signal).catch((error: unknown) => {
        if (!signal?.aborted) throw error;
      }),
  })),
  'an aborted put says that it was aborted, not why': storing((own) => ({
    put: (id, archive, signal) =>
      own.put(id, archive, signal).catch((error: unknown) => {
        throw signal?.aborted ? new DOMException('This operation was aborted', 'AbortError') : error;
      }),
  })),
  'an abort on the way is a fault of the storage': wrapsAbortsIn('put', 'storage_unavailable'),
  'an abort without a reason is none': storing((own) => ({
    put: (id, archive, signal) =>
      own.put(id, archive, signal?.aborted && !signal.reason ? undefined : signal),
  })),
  'one put aborted is all aborted': storing(
    (own, signals: Set<AbortSignal>) => ({
      put: async (id, archive, signal) => {
        if (signal !== undefined) signals.add(signal);
        await own.reach(signal);
        const bytes = await stagedBytes(archive);
        await turns(1);
        const aborted = [...signals].find((other) => other.aborted);
        if (signal !== undefined) signals.delete(signal);
        aborted?.throwIfAborted();
        own.kept.set(id, bytes);
      },
    }),
    () => new Set<AbortSignal>(),
  ),
  'puts at once write from one piece of memory': storing((own) => {
    let memory = new Uint8Array(0);
    return {
      put: async (id, archive, signal) => {
        await own.reach(signal);
        memory = await stagedBytes(archive);
        await turns(1);
        own.kept.set(id, memory.slice(0, archive.size));
      },
    };
  }),
  'a put while another is under way waits for that alone': storing((own) => {
    let running: Promise<void> | undefined;
    return {
      put: async (id, archive, signal) => {
        if (running !== undefined) return running;
        running = own.put(id, archive, signal).finally(() => {
          running = undefined;
        });
        return running;
      },
    };
  }),
  'peers see an archive a little later': storing(
    (own, hidden: Map<ArchiveId, object>) => ({
      put: async (id, archive, signal) => {
        await own.put(id, archive, signal);
        hidden.set(id, own);
        void turns(10).then(() => hidden.delete(id));
      },
      read: async (id, from, length, signal) => {
        const bytes = await own.read(id, from, length, signal);
        return (hidden.get(id) ?? own) === own ? bytes : undefined;
      },
    }),
    () => new Map(),
  ),
  'the code of its fault is that of the staging': misnames('put', 'staging_unavailable'),
  'it leaves a staged file open that was changed': storing((own) => ({
    put: async (id, archive, signal) => {
      await own.put(id, archive, signal).catch((error: unknown) => {
        if (error instanceof Fault && error.message.includes('changed')) openSync(archive.file, 'r');
        throw error;
      });
    },
  })),
  'a put that fails goes on listening to its signal': storing((own) => ({
    put: async (id, archive, signal) => {
      const stop = (): void => undefined;
      signal?.addEventListener('abort', stop);
      await own.put(id, archive, signal);
      signal?.removeEventListener('abort', stop);
    },
  })),
};
