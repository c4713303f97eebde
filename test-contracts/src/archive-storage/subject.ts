import type { ArchiveStorage } from '@pinfold/core';
import type { ClauseTable, StoreSubject } from '../contract.ts';
import type { StagedFile } from '../fixtures/staged.ts';

/** The subject of the tests of an {@link ArchiveStorage}. */
export interface ArchiveStorageSubject extends StoreSubject<ArchiveStorage> {
  /** Stages bytes where the storage takes files from; `createStagedArchives` of the fixtures does. */
  stage(bytes: Uint8Array): Promise<StagedFile>;
  /**
   * Leaves things beside the archives that are none, wherever the backend can hold any: other names, names that are
   * nearly an archive's, folders. Where it can hold nothing else, it does nothing. It may be
   * called again.
   */
  strew(): Promise<void>;
  /**
   * The implementation over a backend that answers, whose bucket, container or folder is gone. Absent, `unreachable` is
   * asked in its place, and a storage that takes a deleted bucket for an empty one passes.
   */
  placeGone?(): Promise<ArchiveStorage>;
  /**
   * How many things lie where the storage keeps its own, of any name: archives, probes, temporary objects, unfinished
   * uploads. Absent, only archives are counted.
   */
  left?(): Promise<number>;
  /** The most bytes that its backend takes, where they are fewer than 34 MiB, as in a stand-in for a real one. */
  readonly largest?: number;
}

export type ArchiveStorageClauses = ClauseTable<ArchiveStorage, ArchiveStorageSubject>;
