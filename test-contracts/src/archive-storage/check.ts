import { isFault } from '@pinfold/core';
import { expect } from 'chai';
import { someBytes } from '../fixtures/bytes.ts';
import { anArchiveId } from '../fixtures/roles.ts';
import { rejectionOf } from '../rejection.ts';
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
    says: 'while the backend does not answer, every call rejects with the fault storage_unavailable',
    check: async (subject) => {
      const port = await subject.unreachable();
      const staged = await subject.stage(someBytes(1_000, 1));
      const id = anArchiveId(1);
      const calls = {
        put: port.put(id, staged),
        read: port.read(id, 0, 10),
        size: port.size(id),
        delete: port.delete(id),
        list: port.list(undefined, 10),
        check: port.check(),
      };
      const all = Object.entries(calls).map(async ([name, call]) => {
        const fault = await rejectionOf(call);
        expect(isFault(fault) ? fault.code : fault, name).to.equal('storage_unavailable');
      });
      await Promise.all(all);
    },
  },
];
