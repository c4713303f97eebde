import { getEventListeners } from 'node:events';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type ArchiveId, type ArchiveStorage, isFault, type StagedArchive } from '@pinfold/core';
import { expect } from 'chai';
import { together } from '../concurrently.ts';
import {
  ALL_TURNS,
  abortedAfter,
  expectAbortedAlone,
  expectNothingLeft,
  filesLeftOpen,
  type Interruptible,
  openFiles,
  SPARE,
} from '../expect-aborts.ts';
import { anArchiveId } from '../fixtures/roles.ts';
import { someBytes } from '../fixtures/staged.ts';
import { expectFaults, rejectionOf } from '../rejection.ts';
import type { ArchiveStorageClauses } from './contract.ts';
import { abortLarge, deleteAborted } from './large.ts';
import { callsOf, expectPage, expectSame, MANY, readAsSized, readWhole, store, walkIds } from './stored.ts';

/** Turns after which large archives are aborted, too. */
const LARGE_AT = [1, 2, 3, 5, 6, 9];
/** More failures than after which any implementation stops trying. */
const OFTEN = 24;

export const checkClauses: ArchiveStorageClauses = {
  'archive-storage/check: a working storage resolves; an aborted signal rejects with its reason': async (
    subject,
  ) => {
    await subject.port.check();
    expect(await subject.port.list(undefined, 10), 'nothing is left of it').to.deep.equal([]);
    await expectAbortedAlone({ check: (signal) => subject.port.check(signal) });
    await together(subject, MANY, (port) => port.check());
  },
  'archive-storage/check-leaves-nothing: a check leaves nothing in the place of uploads, even if it fails':
    async (subject) => {
      const { port } = subject;
      await store(subject, 1, 10);
      const { file } = await subject.stage(someBytes(10, 1));
      const unreachable = await subject.unreachable();
      const before = await readdir(dirname(file));
      const expectNothingNew = async (what: string): Promise<void> => {
        expect(await readdir(dirname(file)), `beside an upload, ${what}`).to.deep.equal(before);
      };
      await port.check();
      await expectNothingNew('after one');
      await together(subject, 3, (each) => each.check());
      await expectNothingNew('after several at once');
      await rejectionOf(unreachable.check());
      await rejectionOf(unreachable.check(new AbortController().signal));
      await expectNothingNew('where nothing answers');
      await rejectionOf(port.check(AbortSignal.abort()));
      await expectNothingNew('after one that was aborted');
      for (let turns = 0; turns < 6; turns += 1) await abortedAfter(turns, (signal) => port.check(signal));
      await expectNothingNew('after some that were aborted on the way');
    },
  'archive-storage/unreachable: while the backend does not answer, every call rejects with the fault storage_unavailable and its cause':
    async (subject) => {
      const port = await subject.unreachable();
      const { id: known, bytes } = await store(subject, 1, 1_000);
      expect(await subject.port.size(known)).to.equal(1_000);
      const staged = await subject.stage(someBytes(1_000, 2));
      const empty = await subject.stage(new Uint8Array());
      const { signal } = new AbortController();
      const open = openFiles();
      for (let times = 0; times < OFTEN; times += 1) {
        const id = times === 1 ? anArchiveId(2) : known;
        // A handle must not use the results of another one.
        await Promise.all([
          subject.port.check(),
          subject.port.list(undefined, 10),
          subject.port.read(id, 0, 10),
        ]);
        const calls = Object.entries(callsOf(port, id, staged)).map(([name, call]) => [name, call(signal)]);
        await expectFaults('storage_unavailable', Object.fromEntries(calls));
        await expectFaults('storage_unavailable', {
          'a put of an empty file': port.put(anArchiveId(3), empty),
          'a read of no bytes': port.read(id, 0, 0),
          'a list of no ids': port.list(undefined, 0),
          'another page': port.list(id, 10),
        });
        expect(getEventListeners(signal, 'abort'), 'listeners after that').to.have.lengthOf(0);
      }
      expect(await filesLeftOpen(open), 'files that were left open').to.be.below(SPARE);
      await expectFaultsOrAborts(port, known, staged);
      expectSame(await readWhole(subject.port, known, 1_000), bytes, 'what was there');
      expect(await subject.port.list(undefined, 10), 'and nothing else').to.deep.equal([known]);
    },
  'archive-storage/aborted-on-the-way: an abort during a call rejects with its reason, of any type, or comes too late and the call completes':
    async (subject) => {
      const { port } = subject;
      const { id, bytes } = await store(subject, 1, 900_000);
      for (let n = 2; n < 14; n += 1) await store(subject, n * 90_000_000, 10);
      const listed = await walkIds(port, 100);
      for (let turns = 0; turns < ALL_TURNS; turns += 1) {
        const read = await abortedAfter(turns, (signal) => port.read(id, 0, 900_000, signal));
        if (read !== undefined) expectSame(read.answer, bytes, 'what was read');
        const size = await abortedAfter(turns, (signal) => port.size(id, signal));
        if (size !== undefined) expect(size.answer, 'its size').to.equal(900_000);
        const page = await abortedAfter(turns, (signal) => port.list(undefined, 100, signal));
        if (page !== undefined) expectPage(page.answer, listed, 'what was listed');
        await abortedAfter(turns, (signal) => port.check(signal));
        const [put, staged] = [anArchiveId(50 + turns), await subject.stage(someBytes(70_000, turns))];
        const stored = await abortedAfter(turns, (signal) => port.put(put, staged, signal));
        const found = await readAsSized(port, put, 70_000);
        if (stored !== undefined || found !== undefined) {
          expectSame(found, someBytes(70_000, turns), 'what was stored');
        }
        if (found !== undefined) await port.delete(put);
        await staged.discard();
        await deleteAborted(subject, await store(subject, 80 + turns, 5_000), turns);
        if (LARGE_AT.includes(turns)) await abortLarge(subject, turns);
      }
      const last = await store(subject, 99, 10);
      expectSame(await readAsSized(port, last.id, 10), last.bytes, 'one that was not aborted');
      await port.delete(last.id);
      expect(await walkIds(port, 100), 'in the end').to.deep.equal(listed);
    },
  'archive-storage/lets-go: a call leaves nothing behind when it has ended: no listener on its signal, no open file':
    async (subject) => {
      const { port } = subject;
      const { id } = await store(subject, 1, 5_000);
      const gone = await subject.stage(someBytes(1_000, 1));
      await gone.discard();
      const changed = { ...(await subject.stage(someBytes(1_000, 1))), size: 1_001 };
      let [stored, calls] = [1, 0];
      const questions: readonly Interruptible[] = [
        (signal) => port.read(id, 0, 1_000, signal),
        (signal) => port.size(id, signal),
        (signal) => port.list(undefined, 10, signal),
        (signal) => port.delete(anArchiveId(0), signal),
        (signal) => port.check(signal),
      ];
      await expectNothingLeft({
        put: async (signal) => {
          stored += 1;
          const staged = await subject.stage(someBytes((stored % 2) * 100, stored));
          await port.put(anArchiveId(stored), staged, signal);
          await staged.discard();
        },
        read: (signal) => port.read(id, 0, 1_000, signal),
        'a read of what is absent': (signal) => port.read(anArchiveId(0), 0, 1_000, signal),
        'a put of what is gone': (signal) => port.put(anArchiveId(0), gone, signal).catch(() => undefined),
        'a put of what was changed': (signal) =>
          port.put(anArchiveId(0), changed, signal).catch(() => undefined),
        'a put that is aborted': async () => {
          const staged = await subject.stage(someBytes(100, 0));
          calls += 1;
          await abortedAfter(calls % 6, (signal) => port.put(anArchiveId(0), staged, signal));
          await staged.discard();
          await port.delete(anArchiveId(0));
        },
        'calls that are aborted': async () => {
          calls += 1;
          for (const ask of questions) await abortedAfter(calls % 3, ask);
        },
        'calls that were aborted before': async () => {
          for (const ask of [...questions, (signal: AbortSignal) => port.put(anArchiveId(0), gone, signal)]) {
            await ask(AbortSignal.abort()).catch(() => undefined);
          }
        },
        'a read of an invalid range': (signal) => port.read(id, -1, 1, signal).catch(() => undefined),
        'a read of no bytes': (signal) => port.read(id, 0, 0, signal),
        'a read beyond the end': (signal) => port.read(id, 5_000, 1, signal).catch(() => undefined),
        size: (signal) => port.size(id, signal),
        'the size of an absent archive': (signal) => port.size(anArchiveId(0), signal),
        'a list of no ids': (signal) => port.list(undefined, 0, signal),
        'a deletion of what is absent': (signal) => port.delete(anArchiveId(0), signal),
        list: (signal) => port.list(undefined, 10, signal),
        'the end of a walk': (signal) => port.list(anArchiveId(stored + 1), 10, signal),
        check: (signal) => port.check(signal),
        delete: async (signal) => {
          await port.delete(anArchiveId(stored), signal);
          stored -= 1;
        },
      });
    },
};

/** Calls that are aborted while the backend does not answer: each rejects with the reason or the fault. */
async function expectFaultsOrAborts(
  port: ArchiveStorage,
  id: ArchiveId,
  staged: StagedArchive,
): Promise<void> {
  for (const [name, call] of Object.entries(callsOf(port, id, staged))) {
    for (let turns = 0; turns < 6; turns += 1) {
      await abortedAfter(turns, async (signal) => {
        const error = await rejectionOf(call(signal), name);
        if (!isFault(error) || error.code !== 'storage_unavailable') throw error;
      });
    }
  }
}
