import { openSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type ArchiveId, type ArchiveStorage, Fault, type StagedArchive } from '@pinfold/core';
import { MAX_READ, raceSignal } from '@pinfold/core/adapter';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { sixthArchivesLists } from './archives-sixth-lists.ts';
import { sixthArchivesReads } from './archives-sixth-reads.ts';
import { sixthArchivesShared } from './archives-sixth-shared.ts';

const { does } = waysOf<ArchiveStorage>();

/** A put that stores something else than what was staged, and nothing where nothing could be stored. */
const storesOtherwise = (change: (bytes: Buffer) => Uint8Array) =>
  does('put', async (store, id, archive, signal) => {
    await store.check(signal);
    const bytes = await readFile(archive.file).catch(() => undefined);
    if (bytes?.length !== archive.size) return store.put(id, archive, signal);
    const changed = change(bytes);
    await writeFile(archive.file, changed);
    return store.put(id, { ...archive, size: changed.length }, signal);
  });

const isGone = ({ file }: StagedArchive): Promise<boolean> =>
  stat(file).then(
    () => false,
    () => true,
  );

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

const puts: Sabotages<ArchiveStorage> = {
  'a mark of byte order at the beginning is lost': storesOtherwise((bytes) =>
    bytes.subarray(0, 3).equals(BOM) ? bytes.subarray(3) : bytes,
  ),
  'zeroes at the end are lost, as a padded column loses them': storesOtherwise((bytes) =>
    bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1),
  ),
  'a column cuts archives at sixteen mebibytes': storesOtherwise((bytes) => bytes.subarray(0, 16 * MAX_READ)),
  'the path of a staged file is taken as a URL': does('put', (store, id, archive, signal) =>
    store.put(id, { ...archive, file: fileURLToPath(`file://${archive.file}`) }, signal),
  ),
  'an empty archive is made up for a staged file that is gone': does(
    'put',
    async (store, id, archive, signal) => {
      await store.check(signal);
      if (archive.size === 0) await writeFile(archive.file, '', { flag: 'a' }).catch(() => undefined);
      return store.put(id, archive, signal);
    },
  ),
  'why a staged file that is gone could not be read is not told': does(
    'put',
    async (store, id, archive, signal) => {
      await store.check(signal);
      if (await isGone(archive)) throw new Fault('storage_unavailable', 'the staged archive cannot be read');
      return store.put(id, archive, signal);
    },
  ),
  'a put looks at its signal once more after it returned': does('put', async (store, id, archive, signal) => {
    await store.put(id, archive, signal);
    void turns(30).then(() => (signal?.aborted ? store.delete(id).catch(() => undefined) : undefined));
  }),
  'an aborted put goes on by itself': does('put', async (store, id, archive, signal) => {
    await store.check(signal);
    return raceSignal(
      turns(10).then(() => store.put(id, archive)),
      signal,
    );
  }),
  'a put with an aborted signal throws before there is a promise': () => (store) => ({
    put: (id, archive, signal) => {
      signal?.throwIfAborted();
      return store.put(id, archive, signal);
    },
  }),
  'a staged file of another length stays open': does('put', async (store, id, archive, signal) => {
    await store.check(signal);
    const found = await stat(archive.file).catch(() => undefined);
    if (found !== undefined && found.size !== archive.size) openSync(archive.file, 'r');
    return store.put(id, archive, signal);
  }),
  'a put of a staged file that is gone goes on listening': does('put', async (store, id, archive, signal) => {
    await store.check(signal);
    if (await isGone(archive)) signal?.addEventListener('abort', () => undefined);
    return store.put(id, archive, signal);
  }),
  'a put that ran out of its time is told as a fault': does('put', (store, id, archive, signal) =>
    store.put(id, archive, signal).catch((cause: unknown) => {
      const isTime = cause instanceof DOMException && cause.name === 'TimeoutError';
      throw isTime ? new Fault('storage_unavailable', 'the backend took too long', { cause }) : cause;
    }),
  ),
  'a put that failed is not forgotten by those that wait for it': () => (store) => {
    let before: Promise<unknown> = Promise.resolve();
    return {
      put: (id, archive, signal) => {
        const put = before.then(() => store.put(id, archive, signal));
        before = put;
        return put;
      },
    };
  },
};

/** What lies between a put and those who look for its archive. */
const sights: Sabotages<ArchiveStorage> = {
  'the staged file is copied when somebody looks': () => {
    const staged = new Map<ArchiveId, StagedArchive>();
    return (store) => {
      const copied = async (): Promise<void> => {
        await store.check();
        for (const [id, archive] of staged) {
          await store.put(id, archive).catch(() => undefined);
          staged.delete(id);
        }
      };
      return {
        put: async (id, archive, signal) => {
          await store.check(signal);
          const found = await stat(archive.file).catch(() => undefined);
          if (found?.size !== archive.size) return store.put(id, archive, signal);
          staged.set(id, archive);
        },
        read: (...inputs) => copied().then(() => store.read(...inputs)),
        size: (...inputs) => copied().then(() => store.size(...inputs)),
        list: (...inputs) => copied().then(() => store.list(...inputs)),
        delete: (...inputs) => copied().then(() => store.delete(...inputs)),
      };
    };
  },
  'an archive that needs more than one read comes after its put': () => {
    const late = new Set<ArchiveId>();
    return (store) => ({
      put: async (id, archive, signal) => {
        await store.put(id, archive, signal);
        if (archive.size <= MAX_READ) return;
        late.add(id);
        void turns(20).then(() => late.delete(id));
      },
      read: async (id, ...inputs) => {
        const bytes = await store.read(id, ...inputs);
        return late.has(id) ? undefined : bytes;
      },
    });
  },
  'a handle asks for the size of an archive once in vain': () => (store) => {
    const known = new Set<ArchiveId>();
    return {
      put: (id, archive, signal) => store.put(id, archive, signal).then(() => void known.add(id)),
      size: async (id, signal) => {
        const size = await store.size(id, signal);
        if (known.has(id)) return size;
        known.add(id);
        return undefined;
      },
    };
  },
  'a size that is aborted rejects with an abort of its own': does('size', async (store, id, signal) => {
    try {
      signal?.throwIfAborted();
      await turns(3);
      return await store.size(id, signal);
    } catch (cause) {
      throw signal?.aborted ? new DOMException('The size was aborted', 'AbortError') : cause;
    }
  }),
  'sizes asked at once on one handle are one': () => (store) => {
    let asked: Promise<number | undefined> | undefined;
    return {
      size: async (id, signal) => {
        signal?.throwIfAborted();
        asked ??= turns(1)
          .then(() => store.size(id))
          .finally(() => {
            asked = undefined;
          });
        return asked;
      },
    };
  },
  'an empty archive has no block to be read from': does('read', async (store, id, from, length, signal) => {
    const bytes = await store.read(id, from, length, signal);
    return (await store.size(id)) === 0 ? undefined : bytes;
  }),
};

export const sixthArchives: Sabotages<ArchiveStorage> = {
  ...puts,
  ...sights,
  ...sixthArchivesShared,
  ...sixthArchivesReads,
  ...sixthArchivesLists,
};
