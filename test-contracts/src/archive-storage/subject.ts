import type { ArchiveStorage, StagedArchive } from '@pinfold/core';
import type { Clause, Subject } from '../contract.ts';

/** What an {@link ArchiveStorage} is tested with. */
export interface ArchiveStorageSubject extends Subject<ArchiveStorage> {
  /** Stages bytes where the storage takes files from; `createStagedArchives` of the fixtures does. */
  stage(bytes: Uint8Array): Promise<StagedArchive>;
  /** The implementation over a backend that does not answer: a folder that is gone, a dead endpoint, a closed handle. */
  unreachable(): Promise<ArchiveStorage>;
}

/** One promise of {@link ArchiveStorage}. */
export type ArchiveStorageClause = Clause<ArchiveStorage, ArchiveStorageSubject>;
