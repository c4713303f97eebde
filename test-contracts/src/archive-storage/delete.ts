import { expect } from 'chai';
import { someBytes } from '../fixtures/bytes.ts';
import { anArchiveId, anArchiveIdAt } from '../fixtures/roles.ts';
import { expectAborted } from '../signals.ts';
import { expectSame, nextTurn, readWhole, store } from './stored.ts';
import type { ArchiveStorageClause } from './subject.ts';

export const deleteClauses: readonly ArchiveStorageClause[] = [
  {
    id: 'archive-storage/delete-gone',
    says: 'a deleted archive is absent for every peer',
    check: async (subject) => {
      const early = await subject.peer();
      const stays = await store(subject, 1, 5_000);
      const goes = await store(subject, 2, 5_000);
      // A peer that keeps what it read or listed, or an open file, must not answer from it.
      for (const port of [subject.port, early]) {
        expectSame(await readWhole(port, goes.id, 5_000), goes.bytes, 'before');
        expectSame(await port.read(goes.id, 0, 10), goes.bytes.subarray(0, 10), 'before');
        expect(await port.list(undefined, 10), 'before').to.deep.equal([stays.id, goes.id]);
      }
      await subject.port.delete(goes.id);
      expect(await early.read(goes.id, 10, 10), 'what comes after what was read').to.equal(undefined);
      for (const port of [subject.port, early, await subject.peer()]) {
        for (const length of [5_000, 10, 1, 0]) {
          const read = await port.read(goes.id, 0, length);
          expect(read, `${length} bytes of the deleted one`).to.equal(undefined);
        }
        expect(await port.list(undefined, 10), 'the same page again').to.deep.equal([stays.id]);
        expectSame(await readWhole(port, stays.id, 5_000), stays.bytes, 'the other one');
      }
    },
  },
  {
    id: 'archive-storage/delete-while-read',
    says: 'what is read while it is deleted is right or absent, and other archives stay',
    check: async (subject) => {
      const peer = await subject.peer();
      for (let n = 1; n <= 8; n += 1) {
        const { id, bytes } = await store(subject, n, 200_000);
        const [other, others] = [anArchiveIdAt(n, n), someBytes(100, n)];
        const staged = await subject.stage(others);
        const reads = Promise.all(
          Array.from({ length: 12 }, (_, place) =>
            (place % 2 === 0 ? peer : subject.port).read(id, place * 1_000, 150_000),
          ),
        );
        // When another step fails first, that is told.
        reads.catch(() => undefined);
        const put = subject.port.put(other, staged);
        let over = false;
        const deleted = subject.port.delete(id).finally(() => {
          over = true;
        });
        // When another step fails first, that is told.
        deleted.catch(() => undefined);
        while (!over) {
          const read = await peer.read(id, 0, 150_000);
          if (read !== undefined) expectSame(read, bytes.subarray(0, 150_000), 'while it goes');
          await nextTurn();
        }
        for (const [place, read] of (await reads).entries()) {
          const from = place * 1_000;
          if (read !== undefined) expectSame(read, bytes.subarray(from, from + 150_000), `read ${place}`);
        }
        await Promise.all([deleted, put]);
        expectSame(await peer.read(other, 0, 100), others, 'of the same millisecond');
        expect(await peer.read(id, 0, 10), 'then').to.equal(undefined);
      }
    },
  },
  {
    id: 'archive-storage/delete-aborted',
    says: 'an aborted signal rejects with its reason, and the archive stays',
    check: async (subject) => {
      const { id, bytes } = await store(subject, 1, 5_000);
      await expectAborted({ delete: (signal) => subject.port.delete(id, signal) });
      for (const port of [subject.port, await subject.peer()]) {
        expectSame(await readWhole(port, id, 5_000), bytes, 'the archive');
        expect(await port.size(id), 'its size').to.equal(5_000);
        expect(await port.list(undefined, 10), 'what is listed').to.deep.equal([id]);
      }
      await expectAborted({ 'of none': (signal) => subject.port.delete(anArchiveId(2), signal) });
    },
  },
  {
    id: 'archive-storage/delete-twice',
    says: 'deleting again, or what never was, succeeds',
    check: async (subject) => {
      const { id, bytes: same } = await store(subject, 1, 5_000);
      await subject.port.put(anArchiveId(5), await subject.stage(same));
      const peer = await subject.peer();
      await Promise.all([subject.port.delete(id), subject.port.delete(id), peer.delete(id)]);
      await subject.port.delete(id);
      await peer.delete(id);
      for (const n of [0, 4]) await store(subject, n, 10);
      for (const n of [2, 3, 1]) await subject.port.delete(anArchiveId(n));
      const others = await subject.port.list(undefined, 10);
      expect(others, 'the others').to.deep.equal([0, 4, 5].map(anArchiveId));
      expectSame(await readWhole(peer, anArchiveId(5), 5_000), same, 'another one of the same bytes');
      expect(await subject.port.read(id, 0, 10)).to.equal(undefined);
      const { bytes } = await store(subject, 2, 5_000);
      expectSame(await readWhole(peer, anArchiveId(2), 5_000), bytes, 'put after that');
    },
  },
];
