import type { ArchiveStorage, StagedArchive } from '@pinfold/core';
import type { ClauseTable, StoreSubject } from '../contract.ts';

/** The subject of the tests of an {@link ArchiveStorage}. */
export interface ArchiveStorageSubject extends StoreSubject<ArchiveStorage> {
  /** Stages bytes where the storage takes files from; `createStagedArchives` of the fixtures does. */
  stage(bytes: Uint8Array): Promise<StagedArchive>;
  /**
   * Leaves things beside the archives that are none, wherever the backend can hold any: other names, names that are
   * nearly an archive's, folders. Where it can hold nothing else, it does nothing. It may be
   * called again.
   */
  strew(): Promise<void>;
  /** The most bytes that its backend takes, where they are fewer than 34 MiB, as in a stand-in for a real one. */
  readonly largest?: number;
}

export type ArchiveStorageClauses = ClauseTable<ArchiveStorage, ArchiveStorageSubject>;
