import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ArchiveId, type ArchiveStorage, Fault, isFault, type StagedArchive } from '@pinfold/core';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { seventhArchivesLists } from './archives-seventh-lists.ts';
import { seventhArchivesRead } from './archives-seventh-read.ts';

const { asks, does } = waysOf<ArchiveStorage>();

const PART = 65_536;

type Put = ArchiveStorage['put'];

/** Puts other bytes than those that are staged. */
async function putting(
  store: ArchiveStorage,
  id: ArchiveId,
  bytes: Uint8Array,
  archive: StagedArchive,
  signal?: AbortSignal,
) {
  const folder = await mkdtemp(join(tmpdir(), 'archives-seventh-'));
  const file = join(folder, 'other');
  try {
    await writeFile(file, bytes);
    const discard = () => archive.discard();
    await store.put(id, { file, size: bytes.length, sha256: archive.sha256, discard }, signal);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Puts what `change` makes of a sound staged file. */
const changing =
  (
    store: ArchiveStorage,
    change: (bytes: Uint8Array, id: ArchiveId) => Uint8Array | Promise<Uint8Array>,
  ): Put =>
  async (id, archive, signal) => {
    const bytes = await readFile(archive.file).catch(() => undefined);
    if (bytes?.length !== archive.size) return store.put(id, archive, signal);
    await putting(store, id, await change(bytes, id), archive, signal);
  };

function sortedAsText(bytes: Uint8Array): Uint8Array {
  const parts = Array.from({ length: Math.ceil(bytes.length / PART) }, (_, n) => String(n)).sort();
  return Buffer.concat(parts.map((n) => bytes.subarray(Number(n) * PART, (Number(n) + 1) * PART)));
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

export const seventhArchives: Sabotages<ArchiveStorage> = {
  'put: of an empty archive the staged file is not looked for': does(
    'put',
    async (store, id, archive, signal) =>
      archive.size === 0
        ? putting(store, id, new Uint8Array(), archive, signal)
        : store.put(id, archive, signal),
  ),
  'put: of a staged file that grew as much as was said': does('put', async (store, id, archive, signal) => {
    const bytes = await readFile(archive.file).catch(() => undefined);
    if (bytes === undefined || bytes.length <= archive.size) return store.put(id, archive, signal);
    await putting(store, id, bytes.subarray(0, archive.size), archive, signal);
  }),
  'put: the size is noted before the bytes are there, and stays': () => {
    const noted = new Map<ArchiveId, number>();
    return (store) => ({
      put: async (id, archive, signal) => {
        noted.set(id, archive.size);
        await store.put(id, archive, signal);
        noted.delete(id);
      },
      size: async (id, signal) => (await store.size(id, signal)) ?? noted.get(id),
      delete: async (id, signal) => {
        await store.delete(id, signal);
        noted.delete(id);
      },
    });
  },
  'put: a staged file that is gone has no cause': does('put', (store, id, archive, signal) =>
    store.put(id, archive, signal).catch((error: unknown) => {
      throw isFault(error) && !existsSync(archive.file) ? new Fault(error.code, error.message) : error;
    }),
  ),
  'put: an id that was tried is taken': () => {
    const taken = new Set<ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        if (taken.has(id)) throw new Fault('storage_unavailable', 'taken', { cause: new Error('EEXIST') });
        taken.add(id);
        await store.put(id, archive, signal);
      },
    });
  },
  'put: parts follow each other as their numbers do as text': () => (store) => ({
    put: changing(store, sortedAsText),
  }),
  'put: a byte order mark is not kept': () => (store) => ({
    put: changing(store, (bytes) => (BOM.equals(bytes.subarray(0, 3)) ? bytes.subarray(3) : bytes)),
  }),
  'put: the path is read as that of a URL': asks('put', (id, archive, signal) => {
    const file = fileURLToPath(`file://${archive.file}`);
    return [id, { ...archive, file, discard: () => archive.discard() }, signal];
  }),
  'put: those of one millisecond that come at once share a buffer': () => {
    const buffers = new Map<string, Uint8Array>();
    return (store) => ({
      put: changing(store, async (bytes, id) => {
        const at = id.slice(0, 13);
        buffers.set(at, bytes);
        await turns(3);
        return buffers.get(at) ?? bytes;
      }),
    });
  },
  'put: behind one that failed the queue stands still': () => (store) => {
    let queue = Promise.resolve();
    return {
      put: (id, archive, signal) => {
        queue = queue.then(() => store.put(id, archive, signal));
        return queue;
      },
    };
  },
  'put: an abort afterwards takes it back': does('put', async (store, id, archive, signal) => {
    await store.put(id, archive, signal);
    signal?.addEventListener('abort', () => void store.delete(id), { once: true });
  }),
  'put: aborted on the way it leaves what it had': does('put', async (store, id, archive, signal) => {
    signal?.throwIfAborted();
    const bytes = await readFile(archive.file).catch(() => undefined);
    if (!signal?.aborted || bytes === undefined) return store.put(id, archive, signal);
    await putting(store, id, bytes.subarray(0, bytes.length / 2), archive);
    signal.throwIfAborted();
  }),
  'put: a reason that is null is replaced': does('put', (store, id, archive, signal) =>
    store.put(id, archive, signal).catch((error: unknown) => {
      throw error ?? new DOMException('This operation was aborted', 'AbortError');
    }),
  ),
  'put: a reason that is a fault is tried again': does('put', (store, id, archive, signal) =>
    store.put(id, archive, signal).catch((error: unknown) => {
      if (!signal?.aborted || !isFault(error)) throw error;
      return store.put(id, archive);
    }),
  ),
  'put: the column of ids is one character too short': () => {
    const columns = new Map<string, ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        const other = columns.get(id.slice(0, 49));
        columns.set(id.slice(0, 49), id);
        if (other !== undefined && other !== id) await store.delete(other);
      },
    });
  },
  'put: what was deleted before it came stays away': () => {
    const tombs = new Set<ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        if (tombs.has(id)) await store.delete(id);
      },
      delete: async (id, signal) => {
        await store.delete(id, signal);
        tombs.add(id);
      },
    });
  },
  'put: that fails leaves the staged file open': does('put', async (store, id, archive, signal) => {
    const opened = existsSync(archive.file) ? openSync(archive.file, 'r') : undefined;
    await store.put(id, archive, signal);
    if (opened !== undefined) closeSync(opened);
  }),
  ...seventhArchivesRead,
  ...seventhArchivesLists,
};
