import { type ArchiveId, type ArchiveStorage, isFault, type StagedArchive } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { expect } from 'chai';
import { meanwhile, together } from '../concurrently.ts';
import { expectAborted } from '../expect-aborts.ts';
import { anArchiveId } from '../fixtures/roles.ts';
import { someBytes } from '../fixtures/staged.ts';
import { rejectionOf } from '../rejection.ts';
import { putAlike, putOfOneName, putSameAtOnce } from './alike.ts';
import type { ArchiveStorageClauses, ArchiveStorageSubject } from './contract.ts';
import { putLargeAtOnce, putLargeChanged, putVast } from './large.ts';
import { expectSame, MANY, nextTurn, readWhole, store, walkIds } from './stored.ts';

/** Bytes compared at both ends: a store that writes in place has the beginning before the end. */
const END = 1_000;
const LARGE = 3_000_001;
/** Includes multiples of any part size. */
const LENGTHS = [1, 65_536, 2_097_169, 5_242_880, 8_388_608, 11_534_336];

const DELICATE = [[0xef, 0xbb, 0xbf], [0xff, 0xfe], [0], [32], [13, 10], [26], [0x1f, 0x8b, 8, 0]];

/** The archive is whole or absent, at both of its ends. */
async function expectWholeOrAbsent(
  port: ArchiveStorage,
  id: ArchiveId,
  bytes: Uint8Array,
): Promise<'whole' | 'absent'> {
  const size = await port.size(id);
  const last = bytes.length - END;
  const tail = await port.read(id, last, END);
  const head = await port.read(id, 0, END);
  if (tail !== undefined) expectSame(tail, bytes.subarray(last), 'the end');
  if (head !== undefined) expectSame(head, bytes.subarray(0, END), 'the beginning');
  if (size !== undefined) {
    expect(size, 'its size').to.equal(bytes.length);
    expect(tail, 'the end of what has a size').not.to.equal(undefined);
  }
  return tail === undefined ? 'absent' : 'whole';
}

async function putWhileRead(subject: ArchiveStorageSubject): Promise<void> {
  const [id, bytes] = [anArchiveId(1), someBytes(LARGE, 1)];
  const staged = await subject.stage(bytes);
  const peer = await subject.peer();
  await meanwhile(subject.port.put(id, staged), () => expectWholeOrAbsent(peer, id, bytes));
  expectSame(await readWhole(peer, id, LARGE), bytes, 'after the put');
}

async function putDiscarded(subject: ArchiveStorageSubject): Promise<void> {
  const [id, bytes] = [anArchiveId(2), someBytes(LARGE, 2)];
  const staged = await subject.stage(bytes);
  await staged.discard();
  await rejectionOf(subject.port.put(id, staged));
  expect(await expectWholeOrAbsent(subject.port, id, bytes)).to.equal('absent');
}

async function putAborted(subject: ArchiveStorageSubject): Promise<void> {
  const [id, bytes] = [anArchiveId(3), someBytes(LARGE, 3)];
  const staged = await subject.stage(bytes);
  const [controller, reason] = [new AbortController(), new Error('gone')];
  const put = subject.port.put(id, staged, controller.signal);
  controller.abort(reason);
  const outcome = await put.then(
    () => undefined,
    (rejected: unknown) => rejected,
  );
  if (outcome !== undefined) expect(outcome).to.equal(reason);
  const found = await expectWholeOrAbsent(await subject.peer(), id, bytes);
  if (outcome === undefined) expect(found).to.equal('whole');
}

/** Bytes that a text column or a decompressing reader would change. */
async function putDelicate(subject: ArchiveStorageSubject): Promise<void> {
  for (const [n, begin] of DELICATE.entries()) {
    const [id, bytes] = [anArchiveId(80 + n), Uint8Array.from([...begin, 7, ...begin.toReversed()])];
    await subject.port.put(id, await subject.stage(bytes));
    expectSame(await readWhole(subject.port, id, bytes.length), bytes, `${begin} at both ends`);
  }
}

/** An abort that comes when the put has returned. */
async function putThenAborted(subject: ArchiveStorageSubject): Promise<void> {
  const [id, controller] = [anArchiveId(70), new AbortController()];
  await subject.port.put(id, await subject.stage(someBytes(1_000, 70)), controller.signal);
  controller.abort();
  for (let turns = 0; turns < 50; turns += 1) await nextTurn();
  expect(await subject.port.size(id), 'aborted after it was put').to.equal(1_000);
}

/** Aborts one of many concurrent puts, and then one of as many deletions: all others succeed. */
async function putBesideAborted(subject: ArchiveStorageSubject): Promise<void> {
  for (const aborted of [0, 3, 5]) {
    const controllers = Array.from({ length: 6 }, () => new AbortController());
    const staged = await Promise.all(controllers.map((_, n) => subject.stage(someBytes(50_000, 30 + n))));
    const id = (n: number) => anArchiveId(300 + 10 * aborted + n);
    const puts = staged.map((archive, n) => subject.port.put(id(n), archive, controllers[n]?.signal));
    controllers[aborted]?.abort();
    await expectAllBut(aborted, puts, 'put');
    const again = controllers.map(() => new AbortController());
    const deletions = again.map(({ signal }, n) => subject.port.delete(id(n), signal));
    again[aborted]?.abort();
    await expectAllBut(aborted, deletions, 'deletion');
  }
}

async function expectAllBut(one: number, calls: readonly Promise<void>[], what: string): Promise<void> {
  for (const [n, { status }] of (await Promise.allSettled(calls)).entries()) {
    if (n !== one) expect(status, `${what} ${n}, beside one that was aborted`).to.equal('fulfilled');
  }
}

/** Runs puts concurrently with one that fails, and with all other calls. */
async function putBesideOthers(subject: ArchiveStorageSubject): Promise<void> {
  const { port } = subject;
  const peer = await subject.peer();
  const gone = await subject.stage(someBytes(1_000, 50));
  await gone.discard();
  const contents = [60, 61, 62, 63].map((n) => [anArchiveId(n), someBytes(100_000, n)] as const);
  const staged = await Promise.all(contents.map(([, bytes]) => subject.stage(bytes)));
  const puts = contents.map(([id], n) => (n % 2 === 0 ? port : peer).put(id, staged[n] as StagedArchive));
  const failing = rejectionOf(port.put(anArchiveId(50), gone));
  await Promise.all([failing, port.check(), peer.list(undefined, 100), ...puts]);
  for (const [id, bytes] of contents) {
    expectSame(await readWhole(peer, id, bytes.length), bytes, 'put beside other calls');
  }
}

export const putClauses: ArchiveStorageClauses = {
  'archive-storage/put-whole: when put returns, every peer reads the archive byte by byte': async (
    subject,
  ) => {
    const early = await subject.peer();
    for (const [n, length] of LENGTHS.entries()) {
      expect(await early.read(anArchiveId(n), 0, 1), 'before').to.equal(undefined);
      const { id, bytes } = await store(subject, n, length);
      for (let edge = MAX_READ; edge < length; edge += MAX_READ) {
        const across = await subject.port.read(id, edge - 3, 7);
        expectSame(across, bytes.subarray(edge - 3, edge + 4), `across ${edge}`);
      }
      expectSame(await early.read(id, 0, 1), bytes.subarray(0, 1), 'the same read again');
      for (const port of [subject.port, early, await subject.peer()]) {
        expect(await port.size(id), 'its size').to.equal(length);
        expectSame(await readWhole(port, id, length), bytes, `${length} bytes`);
        const from = Math.max(0, length - END - 1);
        expectSame(await port.read(id, from, length - from), bytes.subarray(from), 'its end');
      }
    }
    await putDelicate(subject);
    await putVast(subject);
  },
  'archive-storage/put-atomic: during a put, and after one that failed or was aborted, no part of the archive can be read or listed':
    async (subject) => {
      await putWhileRead(subject);
      await putDiscarded(subject);
      await putAborted(subject);
      for (const id of await walkIds(subject.port, 10)) {
        const n = [1, 2, 3].find((candidate) => anArchiveId(candidate) === id) ?? 0;
        expectSame(await readWhole(subject.port, id, LARGE), someBytes(LARGE, n), 'what is listed');
      }
    },
  'archive-storage/put-aborted: an aborted signal rejects with its reason': async (subject) => {
    const staged = await subject.stage(someBytes(1_000, 1));
    const empty = await subject.stage(new Uint8Array());
    const gone = await subject.stage(someBytes(10, 2));
    await gone.discard();
    const changed = { ...(await subject.stage(someBytes(1_000, 3))), size: 999 };
    await expectAborted({
      put: (signal) => subject.port.put(anArchiveId(1), staged, signal),
      'of what is gone': (signal) => subject.port.put(anArchiveId(1), gone, signal),
      'of nothing': (signal) => subject.port.put(anArchiveId(1), empty, signal),
      'of what was changed': (signal) => subject.port.put(anArchiveId(1), changed, signal),
    });
    expect(await subject.port.read(anArchiveId(1), 0, 1_000)).to.equal(undefined);
    expect(await subject.port.size(anArchiveId(1))).to.equal(undefined);
    await putBesideAborted(subject);
    await putThenAborted(subject);
  },
  'archive-storage/put-as-staged: a put of a staged file that is gone, or has another length, is the fault storage_unavailable and stores nothing':
    async (subject) => {
      const { port } = subject;
      const gone = await subject.stage(someBytes(1_000, 1));
      await gone.discard();
      const shorter = { ...(await subject.stage(someBytes(1_000, 2))), size: 1_001 };
      const longer = { ...(await subject.stage(someBytes(1_000, 3))), size: 999 };
      const emptied = { ...(await subject.stage(new Uint8Array())), size: 1_000 };
      const filled = { ...(await subject.stage(someBytes(1_000, 4))), size: 0 };
      const none = await subject.stage(new Uint8Array());
      await none.discard();
      for (const [n, staged] of [gone, shorter, longer, emptied, filled, none].entries()) {
        const fault = await rejectionOf(port.put(anArchiveId(n), staged), `staged file ${n}`);
        expect(isFault(fault) ? fault.code : fault, `staged file ${n}`).to.equal('storage_unavailable');
        if (staged === gone || staged === none)
          expect((fault as Error).cause, 'what caused it').to.be.instanceOf(Error);
        expect(await port.read(anArchiveId(n), 0, 1), `archive ${n}`).to.equal(undefined);
        expect(await port.size(anArchiveId(n)), `the size of ${n}`).to.equal(undefined);
      }
      await putLargeChanged(subject);
      expect(await port.list(undefined, 10)).to.deep.equal([]);
    },
  'archive-storage/put-prepared: a put works the same after its archive was prepared, while it is being prepared, and after preparing it failed':
    async (subject) => {
      const { port } = subject;
      const unreachable = await subject.unreachable();
      const ways: readonly ((staged: StagedArchive) => unknown)[] = [
        (staged) => port.prepare?.(staged),
        (staged) => void port.prepare?.(staged),
        (staged) => unreachable.prepare?.(staged).catch(() => {}),
      ];
      for (const [n, prepare] of ways.entries()) {
        const [id, bytes] = [anArchiveId(n), someBytes(LARGE, n)];
        const staged = await subject.stage(bytes);
        await prepare(staged);
        await port.put(id, staged);
        expectSame(await readWhole(await subject.peer(), id, LARGE), bytes, `prepared in way ${n}`);
      }
      const staged = await subject.stage(someBytes(1_000, 4));
      const longer = { ...staged, size: 999 };
      const changed = [
        (archive: StagedArchive) => port.prepare?.(archive),
        (archive: StagedArchive) => archive.discard(),
      ];
      for (const change of changed) {
        await change(longer);
        const fault = await rejectionOf(port.put(anArchiveId(4), longer));
        expect(isFault(fault) && fault.code, 'not as it was staged').to.equal('storage_unavailable');
      }
      expect(await port.size(anArchiveId(4))).to.equal(undefined);
    },
  'archive-storage/put-again: a put that failed while the backend did not answer succeeds later, from the same staged file':
    async (subject) => {
      const unreachable = await subject.unreachable();
      for (const [n, length] of [5_000, 0].entries()) {
        const [id, bytes] = [anArchiveId(n), someBytes(length, n)];
        const staged = await subject.stage(bytes);
        for (let times = 0; times < 3; times += 1) await rejectionOf(unreachable.put(id, staged));
        expect(await subject.port.size(id), 'before').to.equal(undefined);
        await subject.port.put(id, staged);
        expect(await subject.port.size(id), 'its size').to.equal(length);
        expectSame(await readWhole(subject.port, id, length), bytes, 'stored at last');
      }
    },
  'archive-storage/put-many: concurrent puts do not mix': async (subject) => {
    const all = await together(subject, 12, (port, n) => store(subject, n, 100_000 + n, port));
    for (const { id, bytes } of all) {
      expectSame(await readWhole(subject.port, id, bytes.length), bytes, id);
    }
    await putAlike(subject);
    await putSameAtOnce(subject);
    await Promise.all(Array.from({ length: MANY }, (_, n) => store(subject, 100 + n, n)));
    const sizes = await Promise.all(
      Array.from({ length: MANY }, (_, n) => subject.port.size(anArchiveId(100 + n))),
    );
    expect(sizes, 'on one handle').to.deep.equal([...sizes.keys()]);
    await putBesideOthers(subject);
    await putLargeAtOnce(subject);
    await putOfOneName(subject);
  },
};
