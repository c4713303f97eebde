import type { ArchiveId } from '@pinfold/core';
import { expect } from 'chai';
import { meanwhile, together } from '../concurrently.ts';
import { expectAbortedAlone } from '../expect-aborts.ts';
import { anArchiveId, anArchiveIdAt } from '../fixtures/roles.ts';
import { someBytes } from '../fixtures/staged.ts';
import { rejectionOf } from '../rejection.ts';
import type { ArchiveStorageClauses, ArchiveStorageSubject } from './contract.ts';
import { expectPage, expectSame, MANY, readWhole, store, walkIds } from './stored.ts';

/** Milliseconds, weeks and years apart, so that any implementation has ids in several groups. */
const WHEN = [
  0, 1, 2, 3, 1_000, 60_000, 3_600_000, 86_400_000, 200_000_000, 2_000_000_000, 9_000_000_000,
  400_000_000_000,
];

/** Ids that differ from the first one by a digit, each at another position. */
const NEAR = [...anArchiveId(0)].flatMap((digit, at) => {
  const other = `${anArchiveId(0).slice(0, at)}${digit === '0' ? 1 : 0}${anArchiveId(0).slice(at + 1)}`;
  return digit === '-' ? [] : [other as ArchiveId];
});

/** More archives than a page of any backend, and in how many milliseconds they are created. */
const [COUNT, MOMENTS] = [1_305, 5];
/** A range that begins after the first ones and exceeds a page. */
const [FIRST, LAST] = [100, 1_110];
/** The number of archives that are far apart, and their distance in milliseconds. */
const [FAR, APART] = [65, 97_000_000];

/** A listed page does not change when archives are put, deleted and listed after it. */
async function listThenChange(subject: ArchiveStorageSubject): Promise<void> {
  const { port } = subject;
  const all = await walkIds(port, 1_000);
  const page = await port.list(undefined, 1_000);
  const listed = [...page];
  await port.delete(listed[0] as ArchiveId);
  expect(page, 'a page, when one of it was deleted').to.deep.equal(listed);
  await store(subject, 700, 10);
  expect(await walkIds(port, 1_000), 'the next one').to.deep.equal(
    [...all.slice(1), anArchiveId(700)].toSorted(),
  );
  expect(page, 'the page before').to.deep.equal(listed);
}

/** Four bytes that no other of the many archives has. */
function bytesOf(n: number): Uint8Array {
  return Uint8Array.of(n >> 8, n & 0xff, 7, 9);
}

export const listClauses: ArchiveStorageClauses = {
  'archive-storage/list-walk: pages after an id, up to an empty one, have every archive exactly once, in order, even if others are deleted meanwhile':
    async (subject) => {
      expect(await subject.port.list(undefined, 10), 'nothing yet').to.deep.equal([]);
      // One of them has no bytes.
      const ids = [...WHEN.map(anArchiveId), ...NEAR].toSorted();
      await together(subject, ids.length, (port, n) => store(subject, n, n, port, ids[n]));
      for (const limit of [1, 3, ids.length, 1_000]) {
        expect(await walkIds(subject.port, limit), `${limit} a page`).to.deep.equal(ids);
      }
      const sizes = await Promise.all(ids.map((id) => subject.port.size(id)));
      expect(sizes, 'the size of each').to.deep.equal([...ids.keys()]);
      const limits = Array.from({ length: 10 }, () => [1_000, 0, 1, 3]).flat();
      const pages = await Promise.all(limits.map((limit) => subject.port.list(undefined, limit)));
      for (const [n, page] of pages.entries()) {
        expect(page.length, 'a page of many at once').to.be.at.most(limits[n] as number);
        expect(page).to.deep.equal(ids.slice(0, page.length));
      }
      const following = ids.filter((id) => id > anArchiveId(500)).slice(0, 2);
      expectPage(await subject.port.list(anArchiveId(500), 2), following, 'after one that is not there');
      const peer = await subject.peer();
      // An archive ahead of the walk, and the last one of each page.
      const deleted = new Set<ArchiveId>();
      const walked = await walkIds(subject.port, 2, async (page) => {
        for (const id of [page.at(-1), ids.at(-1)] as ArchiveId[]) {
          if (!deleted.has(id)) await peer.delete(id);
          deleted.add(id);
        }
      });
      expect(walked, 'while others are deleted').to.deep.equal(ids.slice(0, -1));
      const remaining = ids.filter((id) => !deleted.has(id));
      for (const limit of [1, 4]) expect(await walkIds(peer, limit), 'after that').to.deep.equal(remaining);
      await listThenChange(subject);
    },
  'archive-storage/list-many: more than a thousand archives, hundreds of one millisecond, are each stored and listed, with any limit':
    async (subject) => {
      const ids = Array.from({ length: COUNT }, (_, n) =>
        anArchiveIdAt(n < COUNT - FAR ? n % MOMENTS : ((n * 37) % FAR) * APART, n),
      );
      for (let from = 0; from < COUNT; from += 100) {
        await together(subject, Math.min(100, COUNT - from), async (port, n) => {
          const staged = await subject.stage(bytesOf(from + n));
          await port.put(ids[from + n] as ArchiveId, staged);
          await staged.discard();
        });
      }
      const ordered = ids.toSorted();
      for (const limit of [70, 1_000, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
        expect(await walkIds(subject.port, limit), `${limit} a page`).to.deep.equal(ordered);
      }
      for (const n of [0, MOMENTS, COUNT - 1]) {
        expectSame(await subject.port.read(ids[n] as ArchiveId, 0, 4), bytesOf(n), `archive ${n}`);
      }
      const peer = await subject.peer();
      await peer.delete(ids[MOMENTS] as ArchiveId);
      const remaining = ordered.filter((id) => id !== ids[MOMENTS]);
      expect(await walkIds(subject.port, 1_000), 'without one').to.deep.equal(remaining);
      await peer.check();
      const some = remaining.filter((_, n) => n % 8 === 0 || (n > FIRST && n < LAST));
      const sizes = await Promise.all(some.slice(-MANY).map((id) => peer.size(id)));
      expect(sizes, 'sizes of many at once').to.deep.equal(sizes.map(() => 4));
      await Promise.all(some.map((id) => peer.delete(id)));
      const deleted = new Set(some);
      for (const limit of [1, 10, 1_000]) {
        const [next] = await peer.list(remaining[FIRST], limit);
        expect(next, 'the next one after many that were deleted').to.equal(
          remaining.find((id) => id > (remaining[FIRST] as ArchiveId) && !deleted.has(id)),
        );
      }
      for (const limit of [100, 1_000]) {
        expect(await walkIds(peer, limit), 'without many').to.deep.equal(
          remaining.filter((id) => !deleted.has(id)),
        );
      }
    },
  'archive-storage/list-foreign: foreign objects are skipped, even if there are no others': async (
    subject,
  ) => {
    await subject.strew();
    const peer = await subject.peer();
    expect(await peer.list(undefined, 100), 'nothing of ours').to.deep.equal([]);
    const ids = [1, 2, 3].map(anArchiveId);
    for (const n of [1, 2, 3]) await store(subject, n, 10);
    for (const limit of [1, 2, 100]) expect(await walkIds(peer, limit)).to.deep.equal(ids);
    await peer.delete(anArchiveId(2));
    await subject.strew();
    expect(await walkIds(peer, 100), 'once more').to.deep.equal([anArchiveId(1), anArchiveId(3)]);
  },
  'archive-storage/list-aborted: an aborted signal rejects with its reason': async ({ port }) =>
    await expectAbortedAlone({
      'the first page': (signal) => port.list(undefined, 10, signal),
      'another page': (signal) => port.list(anArchiveId(1), 10, signal),
    }),
  'archive-storage/list-whole-only: an unfinished or failed put is not listed': async (subject) => {
    const failing = await subject.stage(someBytes(1_000, 1));
    await failing.discard();
    await rejectionOf(subject.port.put(anArchiveId(1), failing));
    expect(await subject.port.list(undefined, 10), 'a failed put').to.deep.equal([]);

    const [id, bytes, peer] = [anArchiveId(2), someBytes(3_000_000, 2), await subject.peer()];
    const later = await store(subject, 3, 10);
    expect(await subject.port.list(undefined, 1), 'after a failed put').to.deep.equal([later.id]);
    const staged = await subject.stage(bytes);
    await meanwhile(subject.port.put(id, staged), async () => {
      const [first] = await peer.list(undefined, 1);
      expect(first, 'the first, whatever is under way').to.be.oneOf([id, later.id]);
      const listed = await walkIds(peer, 10);
      if (!listed.includes(id)) return;
      expect(listed).to.deep.equal([id, later.id]);
      expectSame(await readWhole(peer, id, bytes.length), bytes, 'what is listed');
    });
    expect(await walkIds(peer, 10), 'a finished put').to.deep.equal([id, later.id]);
  },
};
