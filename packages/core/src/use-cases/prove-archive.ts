import {
  type ArchiveListing,
  type Judgement,
  judgeInStretches,
  type ListedEntry,
  mostEntries,
  orderProblems,
  type SiteFile,
} from '../domain/archive-rules.ts';
import { duration } from '../domain/instant.ts';
import type { Limits } from '../domain/limits.ts';
import type { ManifestEntry } from '../domain/manifest.ts';
import { ProblemList } from '../domain/problem-list.ts';
import { type Warning, warningsOf } from '../domain/warnings.ts';
import type { ArchiveInspector, EntryProof } from '../ports/archive-inspector.ts';
import type { Clock } from '../ports/clock.ts';
import type { StagedArchive } from '../ports/staging.ts';
import type { Refusal } from '../refusal.ts';

/** Chunks that are judged without a pause: common archives take no more, a few milliseconds. */
const UNRESTED = 8;
const NO_TIME = duration(0);

/** An archive that broke no rule. */
export interface ProvedArchive {
  readonly kind: 'proved';
  readonly entries: readonly ManifestEntry[];
  /** Bytes of the site's files, expanded. */
  readonly size: number;
  readonly warnings: readonly Warning[];
}

/** Applies every rule to a staged archive: first those a listing tells, then by inflating every entry. */
export async function proveArchive(
  { inspector, clock }: { readonly inspector: ArchiveInspector; readonly clock: Clock },
  archive: StagedArchive,
  limits: Limits,
  absolutePathsWork: boolean,
  signal?: AbortSignal,
): Promise<ProvedArchive | Refusal<'invalid_archive'>> {
  const listing = await inspector.list(archive, signal, mostEntries(limits));
  const { problems, omitted, files, tasks } = await judge(listing, limits, clock, signal);
  const proof =
    tasks.length === 0
      ? { problems: [], entries: [] }
      : await inspector.prove({ archive, listing, tasks, expandedBytes: limits.expandedBytes }, signal);
  const broken = new ProblemList();
  broken.add(problems, omitted);
  broken.add(proof.problems);
  if (broken.kept.length > 0) {
    const ordered = orderProblems(broken.kept);
    return { kind: 'refused', code: 'invalid_archive', problems: ordered, omitted: broken.omitted };
  }
  const proofs = new Map(proof.entries.map((entry) => [entry.entry, entry]));
  const entries = files.map((file) => manifestEntry(file, listing.entries, proofs));
  const observed = files.map(({ path, entry }) => ({ path, ...(proofs.get(entry) as EntryProof) }));
  return {
    kind: 'proved',
    entries,
    size: entries.reduce((sum, entry) => sum + entry.size, 0),
    warnings: warningsOf(observed, absolutePathsWork),
  };
}

/** A listing may have 10 MB of names: other work of this thread gets its turn in between. */
async function judge(
  listing: ArchiveListing,
  limits: Limits,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<Judgement> {
  const judging = judgeInStretches(listing, limits);
  for (let rests = 0; ; rests += 1) {
    const step = judging.next();
    if (step.done === true) return step.value;
    if (rests >= UNRESTED) await clock.sleep(NO_TIME, signal);
  }
}

/** @throws TypeError for a file without its proof, which is a bug of the inspector. */
function manifestEntry(
  file: SiteFile,
  listed: readonly ListedEntry[],
  proofs: ReadonlyMap<number, EntryProof>,
): ManifestEntry {
  const entry = listed[file.entry];
  const proof = proofs.get(file.entry);
  if (entry === undefined || proof === undefined) throw new TypeError('an entry is unproved');
  return {
    path: file.path,
    offset: entry.dataOffset,
    compressedSize: entry.compressedSize,
    size: entry.size,
    method: entry.method === 8 ? 'deflated' : 'stored',
    crc32: entry.crc32,
    utf8: proof.utf8,
  };
}
