import type { ArchiveId, ArchiveStorage } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { expect } from 'chai';
import { meanwhile } from '../concurrently.ts';
import { expectAborted } from '../expect-aborts.ts';
import { anArchiveId, anArchiveIdAt } from '../fixtures/roles.ts';
import { someBytes } from '../fixtures/staged.ts';
import type { ArchiveStorageClauses, ArchiveStorageSubject } from './contract.ts';
import { expectSame, readWhole, type Stored, store, walkIds } from './stored.ts';

/** One handle puts an archive, another deletes it, and the first one is read first. */
async function deleteByOther(
  one: ArchiveStorage,
  other: ArchiveStorage,
  subject: ArchiveStorageSubject,
): Promise<void> {
  const observers: Readonly<Record<string, (id: ArchiveId) => Promise<unknown>>> = {
    read: (id) => one.read(id, 10, 10),
    size: (id) => one.size(id),
    list: async (id) => (await walkIds(one, 100)).find((listed) => listed === id),
  };
  for (const [n, [name, observe]] of Object.entries(observers).entries()) {
    const { id } = await store(subject, 10 + n, 5_000, one);
    await other.delete(id);
    for (const times of ['at once', 'again']) {
      expect(await observe(id), `${name} by the handle that put it, ${times}`).to.equal(undefined);
    }
  }
}

/** A peer must not answer with ranges and a size that it read before the deletion. */
async function deleteKnown(
  peer: ArchiveStorage,
  length: number,
  subject: ArchiveStorageSubject,
): Promise<void> {
  const { id, bytes } = await store(subject, 30, length);
  const known = [
    [0, 512],
    [length - 700, 700],
    [1_000, 3_000],
    [0, Math.min(length, MAX_READ)],
  ] as const;
  for (const [from, many] of known) {
    expectSame(await peer.read(id, from, many), bytes.subarray(from, from + many), 'before');
  }
  expect(await peer.size(id), 'its size before').to.equal(length);
  await subject.port.delete(id);
  for (const [from, many] of known) {
    for (const part of [10, many]) {
      const end = from + many;
      expect(await peer.read(id, end - part, part), `${part} bytes up to ${end}`).to.equal(undefined);
    }
  }
  expect(await peer.size(id), 'its size').to.equal(undefined);
}

/** During deletions, a page begins with the next remaining archive. */
async function listWhileDeleted(subject: ArchiveStorageSubject): Promise<void> {
  const doomed = await Promise.all([20, 21, 22, 23].map((n) => store(subject, n, 10)));
  const { id: remaining } = await store(subject, 24, 10);
  const [before] = doomed as [Stored, ...Stored[]];
  const ids = doomed.slice(1).map(({ id }) => id);
  const deleted = Promise.all(ids.map((id) => subject.port.delete(id)));
  await meanwhile(deleted, async () => {
    const page = await subject.port.list(before.id, 1);
    expect(page, 'a page while its archives are deleted').to.have.lengthOf(1);
    expect([...ids, remaining]).to.include(page[0]);
  });
  expect(await subject.port.list(before.id, 1), 'after the deletion').to.deep.equal([remaining]);
}

/** A handle must not cache an answer during the deletion: at the next call, the archive is gone. */
async function deleteWhileAsked(subject: ArchiveStorageSubject): Promise<void> {
  const peer = await subject.peer();
  for (const [n, node] of [subject.port, peer].entries()) {
    const { id, bytes } = await store(subject, 30 + n, 5_000);
    const observers: Readonly<Record<string, () => Promise<unknown>>> = {
      'its beginning': () => node.read(id, 0, 512),
      'all of it': () => node.read(id, 0, bytes.length),
      'its size': () => node.size(id),
      'its place in a list': async () => (await walkIds(node, 100)).find((listed) => listed === id),
    };
    const before = Object.values(observers).map((observe) => observe());
    const deleted = node.delete(id);
    await Promise.all([...before, deleted, ...Object.values(observers).map((observe) => observe())]);
    for (const [name, observe] of Object.entries(observers)) {
      expect(await observe(), `${name}, asked beside the deletion and again`).to.equal(undefined);
    }
  }
}

export const deleteClauses: ArchiveStorageClauses = {
  'archive-storage/delete-gone: a deleted archive is missing for every peer': async (subject) => {
    const early = await subject.peer();
    const remaining = await store(subject, 1, 5_000);
    const deleted = await store(subject, 2, 5_000);
    // A peer must not answer from a cache or an open file.
    for (const port of [subject.port, early]) {
      expectSame(await readWhole(port, deleted.id, 5_000), deleted.bytes, 'before');
      expectSame(await port.read(deleted.id, 0, 10), deleted.bytes.subarray(0, 10), 'before');
      expect(await walkIds(port, 10), 'before').to.deep.equal([remaining.id, deleted.id]);
    }
    await subject.port.delete(deleted.id);
    expect(await early.read(deleted.id, 10, 10), 'what comes after what was read').to.equal(undefined);
    for (const port of [subject.port, early, await subject.peer()]) {
      for (const length of [5_000, 10, 1, 0]) {
        const read = await port.read(deleted.id, 0, length);
        expect(read, `${length} bytes of the deleted one`).to.equal(undefined);
      }
      expect(await walkIds(port, 10), 'the same pages again').to.deep.equal([remaining.id]);
      expectSame(await readWhole(port, remaining.id, 5_000), remaining.bytes, 'the other one');
    }
    await deleteByOther(subject.port, early, subject);
    await deleteByOther(early, subject.port, subject);
    for (const length of [5_000, 1_400_003]) await deleteKnown(early, length, subject);
  },
  'archive-storage/delete-while-read: a read during a delete returns correct bytes or nothing, and other archives remain':
    async (subject) => {
      const peer = await subject.peer();
      for (let n = 1; n <= 8; n += 1) {
        const length = n < 8 ? 150_000 : MAX_READ;
        const { id, bytes } = await store(subject, n, length + 50_000);
        const [other, others] = [anArchiveIdAt(n, n), someBytes(100, n)];
        const staged = await subject.stage(others);
        const reads = Promise.all(
          Array.from({ length: 12 }, (_, place) =>
            (place % 2 === 0 ? peer : subject.port).read(id, place * 1_000, length),
          ),
        );
        // If another step fails first, its error is reported.
        reads.catch(() => undefined);
        const put = subject.port.put(other, staged);
        await meanwhile(subject.port.delete(id), async () => {
          const read = await peer.read(id, 0, length);
          if (read !== undefined) expectSame(read, bytes.subarray(0, length), 'while it is deleted');
        });
        for (const [place, read] of (await reads).entries()) {
          const from = place * 1_000;
          if (read !== undefined) expectSame(read, bytes.subarray(from, from + length), `read ${place}`);
        }
        await put;
        expectSame(await peer.read(other, 0, 100), others, 'of the same millisecond');
        expect(await peer.read(id, 0, 10), 'after the deletion').to.equal(undefined);
      }
      await listWhileDeleted(subject);
      await deleteWhileAsked(subject);
    },
  'archive-storage/delete-aborted: an aborted signal rejects with its reason, and the archive remains':
    async (subject) => {
      const { id, bytes } = await store(subject, 1, 5_000);
      await expectAborted({ delete: (signal) => subject.port.delete(id, signal) });
      for (const port of [subject.port, await subject.peer()]) {
        expectSame(await readWhole(port, id, 5_000), bytes, 'the archive');
        expect(await port.size(id), 'its size').to.equal(5_000);
        expect(await port.list(undefined, 10), 'what is listed').to.deep.equal([id]);
      }
      await expectAborted({
        'of an absent archive': (signal) => subject.port.delete(anArchiveId(2), signal),
      });
    },
  'archive-storage/delete-twice: deleting again, or deleting an unknown archive, succeeds': async (
    subject,
  ) => {
    const { id, bytes: same } = await store(subject, 1, 5_000);
    await subject.port.put(anArchiveId(5), await subject.stage(same));
    const peer = await subject.peer();
    await Promise.all([subject.port.delete(id), subject.port.delete(id), peer.delete(id)]);
    await subject.port.delete(id);
    await peer.delete(id);
    for (const n of [0, 4]) await store(subject, n, 10);
    for (const n of [2, 3, 1]) await subject.port.delete(anArchiveId(n));
    expect(await walkIds(subject.port, 10), 'the others').to.deep.equal([0, 4, 5].map(anArchiveId));
    expectSame(await readWhole(peer, anArchiveId(5), 5_000), same, 'another one of the same bytes');
    expect(await subject.port.read(id, 0, 10)).to.equal(undefined);
    const { bytes } = await store(subject, 2, 5_000);
    expectSame(await readWhole(peer, anArchiveId(2), 5_000), bytes, 'put after that');
  },
};
