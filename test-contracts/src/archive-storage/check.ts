import type { ArchiveStorage } from '@pinfold/core';
import { expect } from 'chai';
import { expectFaults } from '../faults.ts';
import { someBytes } from '../fixtures/bytes.ts';
import { anArchiveId } from '../fixtures/roles.ts';
import { rejectionOf } from '../rejection.ts';
import { expectNothingLeft } from '../signals.ts';
import { store } from './stored.ts';
import type { ArchiveStorageClause } from './subject.ts';

export const checkClauses: readonly ArchiveStorageClause[] = [
  {
    id: 'archive-storage/check',
    says: 'a working storage resolves; an aborted signal rejects with its reason',
    check: async (subject) => {
      await subject.port.check();
      expect(await subject.port.list(undefined, 10), 'nothing is left of it').to.deep.equal([]);
      const reason = { why: 'stopping' };
      expect(await rejectionOf(subject.port.check(AbortSignal.abort(reason)))).to.equal(reason);
    },
  },
  {
    id: 'archive-storage/unreachable',
    says: 'while the backend does not answer, every call rejects with the fault storage_unavailable and what caused it',
    check: async (subject) => {
      const port = await subject.unreachable();
      const staged = await subject.stage(someBytes(1_000, 1));
      const id = anArchiveId(1);
      const calls: Readonly<Record<keyof ArchiveStorage, Promise<unknown>>> = {
        put: port.put(id, staged),
        read: port.read(id, 0, 10),
        size: port.size(id),
        delete: port.delete(id),
        list: port.list(undefined, 10),
        check: port.check(),
      };
      await expectFaults('storage_unavailable', calls);
    },
  },
  {
    id: 'archive-storage/lets-go',
    says: 'of a call that has ended nothing is left: no listener on its signal, no open file',
    check: async (subject) => {
      const { port } = subject;
      const { id } = await store(subject, 1, 5_000);
      let stored = 1;
      await expectNothingLeft({
        put: async (signal) => {
          stored += 1;
          const staged = await subject.stage(someBytes(100, stored));
          await port.put(anArchiveId(stored), staged, signal);
          await staged.discard();
        },
        read: (signal) => port.read(id, 0, 1_000, signal),
        'a read of what is absent': (signal) => port.read(anArchiveId(0), 0, 1_000, signal),
        list: (signal) => port.list(undefined, 10, signal),
        check: (signal) => port.check(signal),
        delete: async (signal) => {
          await port.delete(anArchiveId(stored), signal);
          stored -= 1;
        },
      });
    },
  },
];
