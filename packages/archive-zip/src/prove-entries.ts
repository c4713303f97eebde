import type { ArchiveProblem, EntryProof } from '@pinfold/core';
import type { ArchiveSource } from './archive-source.ts';
import type { ProveJob, ProveResult } from './jobs.ts';
import { ReferenceSieve } from './observe/reference-sieve.ts';
import { SitePaths } from './observe/site-paths.ts';
import { type ProofControl, Stopped } from './proof-control.ts';
import { type EntryOutcome, type ProofTools, proveEntry, WHOLE_BYTES } from './prove-entry.ts';

/** Compressed bytes on their way into the inflater; one for a thread, which proves one entry at a time. */
let scratch: Buffer | undefined;
/** The site that the thread knew last: an archive's jobs mostly come one after the other. */
let known: { readonly sitePaths: string; readonly site: SitePaths } | undefined;

/** Proves a job's entries one by one. Once the call has inflated more than is allowed, all of its jobs end early. */
export async function proveEntries(
  archive: ArchiveSource,
  job: ProveJob,
  control: ProofControl,
): Promise<ProveResult> {
  scratch ??= Buffer.allocUnsafeSlow(WHOLE_BYTES);
  const sieve = sieveOf(job, control);
  const tools: ProofTools = { archive, control, expandedBytes: job.expandedBytes, scratch, sieve };
  const problems: ArchiveProblem[] = [];
  const entries: EntryProof[] = [];
  for (const task of job.tasks) {
    const outcome = await untilStopped(task, tools);
    if (outcome === undefined) break;
    if (outcome.kind === 'proved') {
      entries.push(outcome.proof);
      continue;
    }
    problems.push(...outcome.problems);
    if (outcome.problems.some(({ rule }) => rule === 'expanded_too_large')) control.stop();
  }
  return { problems, entries };
}

/** The filter of a job's references, made for the first page that has any. */
export function sieveOf(job: Pick<ProveJob, 'sitePaths'>, control: ProofControl): () => ReferenceSieve {
  let opened: ReferenceSieve | undefined;
  return () => {
    opened ??= new ReferenceSieve(siteOf(job), () => control.throwIfStopped());
    return opened;
  };
}

function siteOf({ sitePaths }: Pick<ProveJob, 'sitePaths'>): SitePaths {
  if (known?.sitePaths !== sitePaths) known = { sitePaths, site: new SitePaths(sitePaths.split('\n')) };
  return known.site;
}

async function untilStopped(
  task: ProveJob['tasks'][number],
  tools: ProofTools,
): Promise<EntryOutcome | undefined> {
  try {
    tools.control.throwIfStopped();
    return await proveEntry(task, tools);
  } catch (error) {
    if (error instanceof Stopped) return undefined;
    throw error;
  }
}
