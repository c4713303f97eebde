import type { ArchiveInspector, StagedArchive } from '@pinfold/core';
import type { ClauseTable, Subject } from '../contract.ts';

/** What an {@link ArchiveInspector} is tested with. */
export interface ArchiveInspectorSubject extends Subject<ArchiveInspector> {
  /** Stages bytes where the inspector takes files from; `createStagedArchives` of the fixtures does. */
  stage(bytes: Uint8Array): Promise<StagedArchive>;
}

/** One promise of {@link ArchiveInspector}. */
export type ArchiveInspectorClauses = ClauseTable<ArchiveInspector, ArchiveInspectorSubject>;
