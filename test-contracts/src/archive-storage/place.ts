import { expect } from 'chai';
import { together } from '../concurrently.ts';
import { abortedAfter } from '../expect-aborts.ts';
import { anArchiveId } from '../fixtures/roles.ts';
import { someBytes } from '../fixtures/staged.ts';
import { expectFaults, rejectionOf } from '../rejection.ts';
import type { ArchiveStorageClauses, ArchiveStorageSubject } from './contract.ts';
import { callsOf, store } from './stored.ts';

/** Turns of the event loop after which puts are aborted. */
const TURNS = 12;

export const placeClauses: ArchiveStorageClauses = {
  'archive-storage/place-gone: if the backend answers, but the bucket or folder is gone, every call including the check rejects with the fault storage_unavailable':
    async (subject) => {
      const port = await (subject.placeGone ?? subject.unreachable)();
      const { id } = await store(subject, 1, 100);
      const staged = await subject.stage(someBytes(100, 2));
      const { signal } = new AbortController();
      const calls = Object.entries(callsOf(port, id, staged)).map(([name, call]) => [name, call(signal)]);
      await expectFaults('storage_unavailable', Object.fromEntries(calls));
      await expectFaults('storage_unavailable', { 'a read of nothing': port.read(id, 0, 0) });
      expect(await subject.port.list(undefined, 10), 'where the place exists').to.deep.equal([id]);
    },
  'archive-storage/leftovers: checks, and puts that fail or are aborted, leave nothing in the backend':
    async (subject) => {
      const { port } = subject;
      await store(subject, 1, 100);
      const before = await countStored(subject);
      const expectNothingNew = async (what: string): Promise<void> => {
        expect(await countStored(subject), `in the backend, ${what}`).to.equal(before);
      };
      await port.check();
      await expectNothingNew('after a check');
      await together(subject, 3, (each) => each.check());
      await expectNothingNew('after several checks at once');
      for (let turns = 0; turns < TURNS; turns += 1) {
        await abortedAfter(turns, (signal) => port.check(signal));
        const staged = await subject.stage(someBytes(70_000, turns));
        await abortedAfter(turns, (signal) => port.put(anArchiveId(2), staged, signal));
        await staged.discard();
        await port.delete(anArchiveId(2));
      }
      await expectNothingNew('after checks and puts that were aborted');
      const gone = await subject.stage(someBytes(100, 1));
      await gone.discard();
      await rejectionOf(port.put(anArchiveId(3), gone));
      const staged = await subject.stage(someBytes(100, 1));
      await rejectionOf(port.put(anArchiveId(3), { ...staged, size: 101 }));
      await expectNothingNew('after puts that failed');
    },
};

async function countStored({ left, port }: ArchiveStorageSubject): Promise<number> {
  return left === undefined ? (await port.list(undefined, 100)).length : await left();
}
