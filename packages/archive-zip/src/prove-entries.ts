import type { ArchiveProblem, EntryProof } from '@pinfold/core';
import type { ArchiveSource } from './archive-source.ts';
import { firstTogether } from './inflate-together.ts';
import type { EntryTask, ProveJob, ProveResult } from './jobs.ts';
import { ReferenceSieve } from './observe/reference-sieve.ts';
import { SitePaths } from './observe/site-paths.ts';
import { type ProofControl, Stopped } from './proof-control.ts';
import { type EntryOutcome, type ProofTools, proveEntry, proveTogether, WHOLE_BYTES } from './prove-entry.ts';

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
  // Entries that were tried together in vain: each is proved by itself, to find out which one is broken.
  let alone = 0;
  for (let from = 0; from < job.tasks.length; ) {
    const small = alone > 0 ? [] : firstTogether(job.tasks, from);
    const outcomes = await untilStopped(() => proveNext(job.tasks[from] as EntryTask, small, tools));
    if (outcomes === undefined) break;
    alone = outcomes.length < small.length ? small.length - 1 : Math.max(0, alone - 1);
    from += outcomes.length;
    for (const outcome of outcomes) {
      if (outcome.kind === 'proved') entries.push(outcome.proof);
      else problems.push(...outcome.problems);
    }
    if (problems.some(({ rule }) => rule === 'expanded_too_large')) control.stop();
  }
  return { problems, entries };
}

/** Proves small entries together, or else the next one by itself. */
async function proveNext(
  next: EntryTask,
  small: readonly EntryTask[],
  tools: ProofTools,
): Promise<readonly EntryOutcome[]> {
  tools.control.throwIfStopped();
  const together = small.length > 1 ? proveTogether(small, tools) : undefined;
  return together ?? [await proveEntry(next, tools)];
}

async function untilStopped<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Stopped) return undefined;
    throw error;
  }
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
