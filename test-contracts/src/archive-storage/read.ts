import { MAX_READ } from '@pinfold/core/adapter';
import { expect } from 'chai';
import { abortedAfter, expectAborted, expectAbortedAlone } from '../expect-aborts.ts';
import { anArchiveId } from '../fixtures/roles.ts';
import { rejectionOf } from '../rejection.ts';
import { expectSimilarIdsAbsent } from './alike.ts';
import type { ArchiveStorageClauses } from './contract.ts';
import { expectSame, MANY, type Stored, store } from './stored.ts';

const LENGTH = MAX_READ + 4_096;

/** Beginnings and lengths, at the edges and inside. */
const RANGES: readonly (readonly [from: number, length: number])[] = [
  [0, 1],
  [0, MAX_READ],
  [1, 1],
  [4_095, 2],
  [4_096, MAX_READ],
  [LENGTH - 1, 1],
  [LENGTH - 700, 700],
  [0, 0],
  [5, 0],
  [LENGTH, 0],
];

/** Beginnings and lengths that are ambiguous if written without a separator. */
const ONES = [1, 11, 111, 1_111, 11_111];
const DIGITS = [0, ...ONES].flatMap((from) => ONES.map((length) => [from, length] as const));

/** Lengths at the end of the archive: short ones, and those near the maximum of one read. */
const END_LENGTHS = [...Array(70).keys(), 127, 128, 1_000, 65_557, MAX_READ - 2, MAX_READ - 1];

/** Ranges far from one another in an archive of two reads. */
const DISTANT_RANGES: readonly (readonly [from: number, length: number])[] = [
  [0, 10],
  [2 * MAX_READ - 10, 10],
  [MAX_READ, MAX_READ],
  [MAX_READ - 5, 10],
];

/** Invalid ranges, and ranges longer than one read may be. */
const INVALID_NUMBERS = [-1, -5, 0.5, 7.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53];
const IMPOSSIBLE: readonly (readonly [from: number, length: number])[] = [
  ...INVALID_NUMBERS.flatMap((from) =>
    [1, 0, 900, ...INVALID_NUMBERS].map((length) => [from, length] as const),
  ),
  ...[...INVALID_NUMBERS, MAX_READ + 1, 2 ** 32 + 1].flatMap((length) =>
    [0, 7, LENGTH].map((from) => [from, length] as const),
  ),
];

/** Ranges that end beyond an archive of 1,000 bytes. */
const BEYOND: readonly (readonly [from: number, length: number])[] = [
  [0, 1_001],
  [999, 2],
  [1_000, 1],
  [2_000, 1],
  [500, 100_000],
  [0, MAX_READ],
  [1_001, 0],
  ...[2 ** 31 + 7, 2 ** 32, 2 ** 32 + 7, 2 ** 40, 2 ** 53 - 2, 2 ** 53 - 1].flatMap((from) =>
    [0, 1, 100].map((length) => [from, length] as const),
  ),
];

export const readClauses: ArchiveStorageClauses = {
  'archive-storage/read-range: a read returns exactly the requested bytes, at the beginning, in the middle, at the end, and none':
    async (subject) => {
      const { id, bytes } = await store(subject, 1, LENGTH);
      for (const [from, length] of RANGES) {
        const read = await subject.port.read(id, from, length);
        expectSame(read, bytes.subarray(from, from + length), `${length} from ${from}`);
      }
      for (const [from, length] of [...DIGITS, ...DIGITS.toReversed()]) {
        const read = await subject.port.read(id, from, length);
        expectSame(read, bytes.subarray(from, from + length), `${length} from ${from}, of many`);
      }
      for (const length of END_LENGTHS) {
        const read = await subject.port.read(id, LENGTH - length, length);
        expectSame(read, bytes.subarray(LENGTH - length), `the last ${length}`);
      }
      const empty = await store(subject, 2, 0);
      expectSame(await subject.port.read(empty.id, 0, 0), empty.bytes, 'of an archive without bytes');
    },
  "archive-storage/read-outside: a range that no archive can have is the caller's mistake, a TypeError; the storage rejects a range that goes beyond the end, and never answers with fewer bytes":
    async (subject) => {
      const { port } = subject;
      const large = await store(subject, 0, LENGTH);
      for (const [from, length] of IMPOSSIBLE) {
        const what = `${length} from ${from}`;
        expect(await rejectionOf(port.read(large.id, from, length), what), what).to.be.instanceOf(TypeError);
      }
      const { id } = await store(subject, 1, 1_000);
      for (const [from, length] of BEYOND) {
        const what = `${length} from ${from}, of 1000`;
        expect(await rejectionOf(port.read(id, from, length), what), what).to.be.instanceOf(Error);
      }
      const empty = await store(subject, 2, 0);
      expect(await rejectionOf(port.read(empty.id, 0, 1), 'of an empty archive')).to.be.instanceOf(Error);
    },
  'archive-storage/read-absent: a missing archive is undefined; any other failure is a fault': async (
    subject,
  ) => {
    await store(subject, 1, 1_000);
    const gone = await store(subject, 2, 1_000);
    await subject.port.delete(gone.id);
    for (const id of [anArchiveId(0), gone.id, anArchiveId(3)]) {
      expect(await subject.port.read(id, 0, 10), id).to.equal(undefined);
      expect(await subject.port.read(id, 0, 0), `no bytes of ${id}`).to.equal(undefined);
    }
    const unreachable = await subject.unreachable();
    for (const length of [10, 0]) {
      expect(await rejectionOf(unreachable.read(anArchiveId(0), 0, length)))
        .to.have.property('code')
        .that.equals('storage_unavailable');
    }
  },
  'archive-storage/read-many: concurrent reads on one handle do not mix': async (subject) => {
    const stored = [await store(subject, 1, 300_000), await store(subject, 2, 300_001)];
    const reads = Array.from({ length: MANY }, async (_, n) => {
      const { id, bytes } = stored[n % 2] as Stored;
      const [from, length] = [n * 1_080, 15_000 - n];
      if (n % 5 === 4) await abortedAfter(n % 3, (signal) => subject.port.read(id, from, length, signal));
      const read = await subject.port.read(id, from, length);
      expectSame(read, bytes.subarray(from, from + length), `read ${n} of many at once`);
      expect(await subject.port.size(id), `size ${n} of many at once`).to.equal(bytes.length);
    });
    await Promise.all(reads);
    const { id, bytes } = await store(subject, 3, 2 * MAX_READ);
    const apart = await Promise.all(
      DISTANT_RANGES.map(([from, length]) => subject.port.read(id, from, length)),
    );
    for (const [n, [from, length]] of DISTANT_RANGES.entries()) {
      expectSame(
        apart[n],
        bytes.subarray(from, from + length),
        `${length} from ${from}, far from the others`,
      );
    }
  },
  'archive-storage/read-owned: a caller owns the bytes that it read: they never change later, hold no other memory, and may be changed without effect':
    async (subject) => {
      const { id, bytes } = await store(subject, 1, 50_000);
      const ranges = [
        [100, 900],
        [40_000, 900],
        [49_100, 900],
        [0, 50_000],
        [100, 0],
      ] as const;
      const read = async () => {
        const all = [];
        for (const [from, length] of ranges) all.push(await subject.port.read(id, from, length));
        return all;
      };
      const first = await read();
      // More reads than a pool has buffers.
      for (let times = 0; times < 40; times += 1) await subject.port.read(id, 40 * times, 900);
      for (const next of [async () => first, read, read]) {
        const again = await next();
        for (const [n, [from, length]] of ranges.entries()) {
          expectSame(again[n], bytes.subarray(from, from + length), `${length} from ${from}`);
          expect(again[n]?.buffer.maxByteLength, 'memory that is kept').to.equal(length);
        }
        for (const one of again) one?.fill(0);
      }
      const [one, other] = await Promise.all([subject.port.read(id, 5, 900), subject.port.read(id, 5, 900)]);
      one?.fill(0);
      expectSame(other, bytes.subarray(5, 905), 'the same read by another at once');
    },
  'archive-storage/read-aborted: an aborted signal rejects with its reason': async (subject) => {
    const { id } = await store(subject, 1, 1_000);
    await expectAbortedAlone({
      read: (signal) => subject.port.read(id, 0, 10, signal),
      'of no bytes': (signal) => subject.port.read(id, 0, 0, signal),
      'of what is absent': (signal) => subject.port.read(anArchiveId(2), 0, 10, signal),
    });
    await expectAborted({
      'beyond the end': (signal) => subject.port.read(id, 500, 501, signal),
    });
  },
  'archive-storage/size: the size is that of the stored archive; only a missing archive is undefined': async (
    subject,
  ) => {
    const other = await subject.peer();
    for (const [n, length] of [0, 1, 1_000, LENGTH].entries()) {
      const [id, staged] = [anArchiveId(n), await subject.stage(new Uint8Array(length))];
      expect(await other.size(id), 'before').to.equal(undefined);
      await subject.port.put(id, staged);
      expect(await other.size(id)).to.equal(length);
      await subject.port.delete(id);
      expect(await other.size(id), 'deleted').to.equal(undefined);
    }
    await expectSimilarIdsAbsent(subject);
    await expectAbortedAlone({ size: (signal) => subject.port.size(anArchiveId(9), signal) });
    const unreachable = await subject.unreachable();
    expect(await rejectionOf(unreachable.size(anArchiveId(0))))
      .to.have.property('code')
      .that.equals('storage_unavailable');
  },
};
