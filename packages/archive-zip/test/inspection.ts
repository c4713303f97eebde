import {
  type ArchiveListing,
  type ArchiveProof,
  type ArchiveRule,
  defaultLimits,
  type Judgement,
  type Limits,
  type ProofRequest,
  type StagedArchive,
} from '@pinfold/core';
import { judgeListing } from '@pinfold/core/adapter';
import { createStagedArchives, type StagedArchives } from '@pinfold/test-contracts/fixtures';
import { ZipArchiveInspector } from '../src/index.ts';

/** The complete result of the inspection of an archive, as for a publication. */
export interface Inspection extends Judgement {
  readonly listing: ArchiveListing;
  readonly proof: ArchiveProof;
  /** The broken rules, each once, sorted. */
  readonly rules: readonly ArchiveRule[];
}

/** Lists, checks and verifies an archive. */
export async function inspect(
  inspector: ZipArchiveInspector,
  archive: StagedArchive,
  limits: Limits = defaultLimits,
): Promise<Inspection> {
  const listing = await inspector.list(archive);
  const judgement = judgeListing(listing, limits);
  const { tasks } = judgement;
  const proof = await inspector.prove({ archive, listing, tasks, expandedBytes: limits.expandedBytes });
  const problems = [...judgement.problems, ...proof.problems];
  const rules = [...new Set(problems.map(({ rule }) => rule))].sort();
  return { ...judgement, listing, proof, problems, rules };
}

/** The request for a proof of an archive, after it was listed. */
export async function requestOf(
  inspector: ZipArchiveInspector,
  archive: StagedArchive,
): Promise<ProofRequest> {
  const listing = await inspector.list(archive);
  const { tasks } = judgeListing(listing, defaultLimits);
  return { archive, listing, tasks, expandedBytes: defaultLimits.expandedBytes };
}

/** Returns a function that stages bytes in a file and inspects them, with one inspector for the tests of a suite. */
export function useInspector(): (bytes: Uint8Array) => Promise<Inspection> {
  const inspector = new ZipArchiveInspector({ workers: 2 });
  let staged: StagedArchives;
  before(async () => {
    staged = await createStagedArchives();
  });
  after(async () => {
    await inspector.close();
    await staged.dispose();
  });
  return async (bytes) => inspect(inspector, await staged.stage(bytes));
}
