import type { ArchiveStorage } from '@pinfold/core';
import { type ClauseTable, type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { anArchiveId } from '../fixtures/roles.ts';
import { type StagedFile, someBytes } from '../fixtures/staged.ts';
import { harnessClauses } from '../harness.ts';
import { checkClauses } from './check.ts';
import { deleteClauses } from './delete.ts';
import { listClauses } from './list.ts';
import { placeClauses } from './place.ts';
import { putClauses } from './put.ts';
import { readClauses } from './read.ts';

/** The subject of the tests of an {@link ArchiveStorage}. */
export interface ArchiveStorageSubject extends StoreSubject<ArchiveStorage> {
  /** Stages bytes for the storage, as `createStagedArchives` of the fixtures does. */
  stage(bytes: Uint8Array): Promise<StagedFile>;
  /**
   * Adds other objects to the backend, if it can have any: other names, names that are
   * similar to an archive's, folders. Otherwise it does nothing. It may be
   * called again.
   */
  strew(): Promise<void>;
  /**
   * The implementation over a backend that answers, whose bucket, container or folder is gone. Absent, `unreachable` is
   * used instead, and a storage that treats a deleted bucket as an empty one passes.
   */
  placeGone?(): Promise<ArchiveStorage>;
  /**
   * How many objects of any name the storage has: archives, probes, temporary objects, unfinished
   * uploads. Absent, only archives are counted.
   */
  left?(): Promise<number>;
  /** The maximum number of bytes that its backend accepts, if fewer than 34 MiB, as in a fake of a real one. */
  readonly largest?: number;
}

export type ArchiveStorageClauses = ClauseTable<ArchiveStorage, ArchiveStorageSubject>;

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
