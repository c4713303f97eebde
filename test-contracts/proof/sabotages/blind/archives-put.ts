import { rm } from 'node:fs/promises';
import { type ArchiveId, type ArchiveStorage, Fault } from '@pinfold/core';
import type { Sabotages } from '../ways.ts';
import { type Bytes, fileBytes, stagedBytes, storing, writing } from './own-storage.ts';

const BLOCK = 65_536;
const PART = 5_242_880;

const idsMixed: Sabotages<ArchiveStorage> = {
  'its names have one character too few for an id': storing((own) => {
    const named = (id: ArchiveId): ArchiveId => id.slice(0, -1) as ArchiveId;
    return {
      put: (id, archive, signal) => own.put(named(id), archive, signal),
      read: (id, from, length, signal) => own.read(named(id), from, length, signal),
      size: (id, signal) => own.size(named(id), signal),
      delete: (id, signal) => own.delete(named(id), signal),
      list: async (after, limit, signal) =>
        (await own.list(after && named(after), limit, signal)).map((id) => `${id}0` as ArchiveId),
    };
  }),
  'an archive of the same millisecond takes the place of another': storing((own) => ({
    put: async (id, archive, signal) => {
      await own.put(id, archive, signal);
      for (const other of own.ids()) {
        if (other !== id && other.slice(0, 13) === id.slice(0, 13)) own.kept.delete(other);
      }
    },
  })),
  'archives of one size are one': storing((own) => ({
    put: async (id, archive, signal) => {
      const same = [...own.kept.values()].find(({ length }) => length === archive.size);
      await own.put(id, archive, signal);
      if (same !== undefined) own.kept.set(id, same);
    },
  })),
  'archives that begin with the same block are one': storing((own) => ({
    put: async (id, archive, signal) => {
      const before = [...own.kept.values()];
      await own.put(id, archive, signal);
      const bytes = own.kept.get(id) as Bytes;
      const same = before.find((other) => sameBlock(other, bytes) && other.length === bytes.length);
      if (same !== undefined) own.kept.set(id, same);
    },
  })),
  'archives of the same bytes are deleted together': storing(
    (own, hashes: Map<ArchiveId, string>) => ({
      put: async (id, archive, signal) => {
        await own.put(id, archive, signal);
        hashes.set(id, archive.sha256);
      },
      delete: async (id, signal) => {
        await own.delete(id, signal);
        for (const [other, hash] of hashes) if (hash === hashes.get(id)) own.kept.delete(other);
      },
    }),
    () => new Map(),
  ),
};

const bytesLost: Sabotages<ArchiveStorage> = {
  'it writes texts': writing((bytes) => new TextEncoder().encode(new TextDecoder().decode(bytes))),
  'it writes lines as its system ends them': writing(
    (bytes) => Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll('\r\n', '\n'), 'latin1') as Bytes,
  ),
  'it loses the last block when that is full': writing((bytes) =>
    bytes.length > 0 && bytes.length % BLOCK === 0 ? bytes.slice(0, -BLOCK) : bytes,
  ),
  'it loses the last block when that is not full': writing((bytes) =>
    bytes.slice(0, bytes.length - (bytes.length % BLOCK)),
  ),
  'it fills the last block with zeros': writing((bytes) => {
    const whole = new Uint8Array(Math.ceil(bytes.length / 512) * 512);
    whole.set(bytes);
    return whole;
  }),
  'it writes the first part of 5 MiB and forgets the others': writing((bytes) => bytes.slice(0, PART)),
  'it writes two parts the wrong way round': writing((bytes) => {
    const turned = new Uint8Array(bytes);
    turned.set(bytes.subarray(PART));
    turned.set(bytes.subarray(0, PART), Math.max(0, bytes.length - PART));
    return turned;
  }),
  'it keeps nothing of an archive without bytes': storing((own) => ({
    put: async (id, archive, signal) => {
      await own.put(id, archive, signal);
      if (archive.size === 0) own.kept.delete(id);
    },
  })),
};

const stagedWrong: Sabotages<ArchiveStorage> = {
  'it takes a staged file that is longer than it was': storing((own) => ({
    put: async (id, archive, signal) => {
      await own.reach(signal);
      const bytes = await fileBytes(archive);
      if (bytes.length < archive.size) throw new Fault('storage_unavailable', 'cut');
      own.kept.set(id, bytes);
    },
  })),
  'it takes as much of a longer staged file as it was told': storing((own) => ({
    put: async (id, archive, signal) => {
      await own.reach(signal);
      const bytes = await fileBytes(archive);
      if (bytes.length < archive.size) throw new Fault('storage_unavailable', 'cut');
      own.kept.set(id, bytes.slice(0, archive.size));
    },
  })),
  'it takes a staged file that is shorter than it was': storing((own) => ({
    put: async (id, archive, signal) => {
      await own.reach(signal);
      const bytes = await fileBytes(archive);
      if (bytes.length > archive.size) throw new Fault('storage_unavailable', 'grown');
      own.kept.set(id, bytes);
    },
  })),
  'it makes a shorter staged file as long as it was, with zeros': storing((own) => ({
    put: async (id, archive, signal) => {
      await own.reach(signal);
      const bytes = await fileBytes(archive);
      if (bytes.length > archive.size) throw new Fault('storage_unavailable', 'grown');
      const whole = new Uint8Array(archive.size);
      whole.set(bytes);
      own.kept.set(id, whole);
    },
  })),
  'it stores a file that was changed, and then says so': storing((own) => ({
    put: async (id, archive, signal) => {
      await own.reach(signal);
      own.kept.set(id, await fileBytes(archive));
      await stagedBytes(archive);
    },
  })),
  'it lists an archive whose staged file is gone': storing((own) => ({
    put: async (id, archive, signal) => {
      await own.reach(signal);
      own.kept.set(id, new Uint8Array(0));
      own.kept.set(id, await stagedBytes(archive));
    },
  })),
  'a staged file that is gone is an archive without bytes': storing((own) => ({
    put: async (id, archive, signal) => {
      const gone = await fileBytes(archive).then(
        () => false,
        () => true,
      );
      if (gone) own.kept.set(id, new Uint8Array(0));
      else await own.put(id, archive, signal);
    },
  })),
  'it lets out what the system said of a staged file that is gone': storing((own) => ({
    put: (id, archive, signal) =>
      own.put(id, archive, signal).catch((error: unknown) => {
        throw error instanceof Fault && error.cause !== undefined && error.message.includes('staged')
          ? error.cause
          : error;
      }),
  })),
  'a staged file that is gone is a fault of the staging': storing((own) => ({
    put: (id, archive, signal) =>
      own.put(id, archive, signal).catch((error: unknown) => {
        if (!(error instanceof Fault && error.message.includes('staged'))) throw error;
        throw new Fault('staging_unavailable', error.message, { cause: error.cause });
      }),
  })),
  'it removes the staged file before it asks the backend': storing((own) => ({
    put: async (id, archive, signal) => {
      const bytes = await stagedBytes(archive);
      await rm(archive.file, { force: true });
      await own.reach(signal);
      own.kept.set(id, bytes);
    },
  })),
  'what could not be put is taken for one under way': storing(
    (own, begun: Set<ArchiveId>) => ({
      put: async (id, archive, signal) => {
        if (begun.has(id)) throw new Fault('storage_unavailable', 'under way');
        begun.add(id);
        await own.put(id, archive, signal);
      },
    }),
    () => new Set<ArchiveId>(),
  ),
};

function sameBlock(one: Bytes, other: Bytes): boolean {
  return Buffer.compare(one.subarray(0, BLOCK), other.subarray(0, BLOCK)) === 0;
}

export const blindArchivesPut: Sabotages<ArchiveStorage> = {
  ...idsMixed,
  ...bytesLost,
  ...stagedWrong,
};
