import { expect } from 'chai';
import { anArchiveId } from '../fixtures/roles.ts';
import { expectSame, readWhole, store } from './stored.ts';
import type { ArchiveStorageClause } from './subject.ts';

export const deleteClauses: readonly ArchiveStorageClause[] = [
  {
    id: 'archive-storage/delete-gone',
    says: 'a deleted archive is absent for every peer',
    check: async (subject) => {
      const early = await subject.peer();
      const stays = await store(subject, 1, 5_000);
      const goes = await store(subject, 2, 5_000);
      // A peer that keeps what it read, or an open file, must not answer from it.
      expectSame(await readWhole(early, goes.id, 5_000), goes.bytes, 'before');
      await subject.port.delete(goes.id);
      for (const port of [subject.port, early, await subject.peer()]) {
        expect(await port.read(goes.id, 0, 10), 'the deleted one').to.equal(undefined);
        expect(await port.list(undefined, 10)).to.deep.equal([stays.id]);
        expectSame(await readWhole(port, stays.id, 5_000), stays.bytes, 'the other one');
      }
    },
  },
  {
    id: 'archive-storage/delete-twice',
    says: 'deleting again, or what never was, succeeds',
    check: async (subject) => {
      const { id } = await store(subject, 1, 5_000);
      const peer = await subject.peer();
      await subject.port.delete(id);
      await subject.port.delete(id);
      await peer.delete(id);
      await subject.port.delete(anArchiveId(2));
      expect(await subject.port.read(id, 0, 10)).to.equal(undefined);
    },
  },
];
