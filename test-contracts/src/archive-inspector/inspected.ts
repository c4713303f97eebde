import {
  type ArchiveInspector,
  type ArchiveProblem,
  type ArchiveRule,
  defaultLimits,
  type ProofRequest,
} from '@pinfold/core';
import { judgeListing } from '@pinfold/core/adapter';
import type { ArchiveInspectorSubject } from './subject.ts';

/** The rules that some problems name, each once, sorted. */
export function rulesOf(problems: readonly ArchiveProblem[]): readonly ArchiveRule[] {
  return [...new Set(problems.map(({ rule }) => rule))].sort();
}

/** Stages and lists an archive, and gives what the core asks to be proved of it. */
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
