import {
  type ArchiveInspector,
  type ArchiveProblem,
  type ArchiveRule,
  defaultLimits,
  type ProofRequest,
  type StagedArchive,
} from '@pinfold/core';
import { judgeListing } from '@pinfold/core/adapter';
import type { ClauseTable, Subject } from '../contract.ts';

/** The subject of the tests of an {@link ArchiveInspector}. */
export interface ArchiveInspectorSubject extends Subject<ArchiveInspector> {
  /** Stages bytes for the inspector, as `createStagedArchives` of the fixtures does. */
  stage(bytes: Uint8Array): Promise<StagedArchive>;
}

export type ArchiveInspectorClauses = ClauseTable<ArchiveInspector, ArchiveInspectorSubject>;

/** The rules of some problems, each once, sorted. */
export function rulesOf(problems: readonly ArchiveProblem[]): readonly ArchiveRule[] {
  return [...new Set(problems.map(({ rule }) => rule))].sort();
}

/** Stages and lists an archive, and returns the core's request for its proof. */
export async function requestOf(
  subject: ArchiveInspectorSubject,
  bytes: Uint8Array,
  port: ArchiveInspector = subject.port,
): Promise<ProofRequest> {
  const archive = await subject.stage(bytes);
  const listing = await port.list(archive);
  const { tasks } = judgeListing(listing, defaultLimits);
  return { archive, listing, tasks, expandedBytes: defaultLimits.expandedBytes };
}
