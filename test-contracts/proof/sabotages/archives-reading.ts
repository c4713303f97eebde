import { type ArchiveId, type ArchiveStorage, Fault } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import type { Spoiling } from '../saboteurs/memory-saboteurs.ts';
import { type Sabotages, turns, waysOf } from './ways.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const {
  answers,
  asks,
  coversUp,
  does,
  isCurtIn,
  isDeafIn,
  isRawIn,
  keeps,
  listensIn,
  misnames,
  wrapsAbortsIn,
} = waysOf<ArchiveStorage>();

const MiB = 1_048_576;
const NOTHING: Bytes = new Uint8Array(0);

/** Reads other bytes of what is there. */
function reads(
  change: (bytes: Bytes, from: number, length: number, id: ArchiveId) => Bytes,
): Spoiling<ArchiveStorage> {
  return answers('read', (bytes, id, from, length) => bytes && change(bytes, from, length, id));
}

/** Bytes of which those from a place in the archive on are zeros. */
export function zerosFrom(place: number): Spoiling<ArchiveStorage> {
  return reads((bytes, from) => bytes.fill(0, Math.max(0, place - from)));
}

export const readingSabotages: Sabotages<ArchiveStorage> = {
  'the last byte of a read is lost': reads((bytes) => bytes.fill(0, -1)),
  'a read begins one byte late': asks('read', (id, from, length, signal) => [
    id,
    from + 1,
    Math.max(0, length - 1),
    signal,
  ]),
  'what is beyond 64 KiB of one read is zeros': reads((bytes) => bytes.fill(0, 65_536)),
  'a read of a whole MiB is one byte short': reads((bytes) =>
    bytes.length === MAX_READ ? bytes.slice(1) : bytes,
  ),
  'a read in the second MiB begins at the first': asks('read', (id, from, length, signal) => [
    id,
    from > MiB ? 0 : from,
    length,
    signal,
  ]),
  'a read up to the end is one byte short': does('read', async (store, id, from, length, signal) => {
    const more = await store.read(id, from, length + 1, signal).catch(() => undefined);
    const read = await store.read(id, from, length, signal);
    return more === undefined && length > 0 ? read?.slice(0, -1) : read;
  }),
  'no bytes are one': reads((bytes, _, length) => (length === 0 ? new Uint8Array(1) : bytes)),
  'no bytes are no archive': answers('read', (bytes, _, __, length) => (length === 0 ? undefined : bytes)),
  'what lies beyond 2 MiB is zeros': zerosFrom(2 * MiB),
  'what lies beyond 4 MiB is zeros': zerosFrom(4 * MiB),
  'what lies beyond 8 MiB is zeros': zerosFrom(8 * MiB),
  'reads at odd places begin at even ones': asks('read', (id, from, length, signal) => [
    id,
    from - (from % 2),
    length,
    signal,
  ]),
  'an absent archive is empty': answers('read', (bytes) => bytes ?? NOTHING),
  'an absent archive is as many zeros': answers(
    'read',
    (bytes, _, __, length) => bytes ?? new Uint8Array(length),
  ),
  'an absent archive is a fault': answers('read', (bytes) => {
    if (bytes === undefined) throw new Fault('storage_unavailable', 'absent', { cause: new Error('absent') });
    return bytes;
  }),
  'reads are kept by their range': keeps('read'),
  'an archive that is absent is so for ever to who asked': () => (store) => {
    const absent = new Set<ArchiveId>();
    return {
      read: async (id, from, length, signal) => {
        const bytes = absent.has(id) ? undefined : await store.read(id, from, length, signal);
        if (bytes === undefined) absent.add(id);
        return bytes;
      },
    };
  },
  'reads are views of one buffer': () => (store) => {
    const scratch = new Uint8Array(MAX_READ);
    return {
      read: async (id, from, length, signal) => {
        const bytes = await store.read(id, from, length, signal);
        if (bytes === undefined) return undefined;
        scratch.set(bytes);
        return scratch.subarray(0, length);
      },
    };
  },
  'a read keeps its piece alive': reads((bytes, _, length) => {
    const piece = new Uint8Array(length + 1);
    piece.set(bytes);
    return piece.subarray(0, length);
  }),
  'who reads a range again gets what the first made of it': keeps('read'),
  'reads at once share a place': () => (store) => {
    let place: readonly [ArchiveId, number, number];
    return {
      read: async (id, from, length, signal) => {
        place = [id, from, length];
        await turns(1);
        return await store.read(place[0], place[1], length, signal);
      },
    };
  },
  'reads of two archives at once are of one': () => (store) => {
    let last: ArchiveId;
    return {
      read: async (id, from, length, signal) => {
        last = id;
        await turns(1);
        return await store.read(last, from, length, signal).catch(() => store.read(id, from, length, signal));
      },
    };
  },
  'more than eight reads at once fail': () => (store) => {
    let running = 0;
    return {
      read: async (id, from, length, signal) => {
        running += 1;
        try {
          await turns(1);
          if (running > 8) throw new Fault('storage_unavailable', 'busy');
          return await store.read(id, from, length, signal);
        } finally {
          running -= 1;
        }
      },
    };
  },
  'a read does not look at its signal': isDeafIn('read'),
  'an abort of a read is a fault': wrapsAbortsIn('read', 'storage_unavailable'),
  'a read goes on listening': listensIn('read'),
  'a backend that does not answer has no archive': coversUp('read', undefined),
  'what fails in a read comes out raw': isRawIn('read'),
  'a fault of a read has no cause': isCurtIn('read'),
  'a fault of a read has another name': misnames('read', 'store_unavailable'),
};
