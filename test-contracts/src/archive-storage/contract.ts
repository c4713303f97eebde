import type { ArchiveStorage } from '@pinfold/core';
import { type Contract, toClauses } from '../contract.ts';
import { someBytes } from '../fixtures/bytes.ts';
import { anArchiveId } from '../fixtures/roles.ts';
import { harnessClauses } from '../harness.ts';
import { checkClauses } from './check.ts';
import { deleteClauses } from './delete.ts';
import { listClauses } from './list.ts';
import { placeClauses } from './place.ts';
import { putClauses } from './put.ts';
import { readClauses } from './read.ts';
import type { ArchiveStorageSubject } from './subject.ts';

/** The promises of {@link ArchiveStorage}. */
export const archiveStorageContract: Contract<ArchiveStorage, ArchiveStorageSubject> = {
  port: 'ArchiveStorage',
  harness: harnessClauses<ArchiveStorage, ArchiveStorageSubject>('archive-storage', {
    write: async (port, n, subject) => port.put(anArchiveId(n), await subject.stage(someBytes(100, n))),
    sees: async (port, n) => (await port.read(anArchiveId(n), 0, 100)) !== undefined,
  }),
  clauses: toClauses({
    ...putClauses,
    ...readClauses,
    ...deleteClauses,
    ...listClauses,
    ...checkClauses,
    ...placeClauses,
  }),
};
