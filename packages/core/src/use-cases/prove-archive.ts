import { judgeListing, type ListedEntry, orderProblems, type SiteFile } from '../domain/archive-rules.ts';
import type { Limits } from '../domain/limits.ts';
import { Manifest, type ManifestEntry } from '../domain/manifest.ts';
import { type Warning, warningsOf } from '../domain/warnings.ts';
import type { ArchiveInspector, EntryProof } from '../ports/archive-inspector.ts';
import type { StagedArchive } from '../ports/staging.ts';
import { type Refusal, refuse } from '../refusal.ts';

/** An archive that broke no rule: what it publishes. */
export interface ProvedArchive {
  readonly kind: 'proved';
  readonly entries: readonly ManifestEntry[];
  /** Bytes of the site's files, expanded. */
  readonly size: number;
  readonly warnings: readonly Warning[];
}

/** Applies every rule to a staged archive: first those a listing tells, then by inflating every entry. */
export async function proveArchive(
  inspector: ArchiveInspector,
  archive: StagedArchive,
  limits: Limits,
  absolutePathsWork: boolean,
  signal?: AbortSignal,
): Promise<ProvedArchive | Refusal<'invalid_archive'>> {
  const listing = await inspector.list(archive, signal);
  const { problems, files, tasks } = judgeListing(listing, limits);
  const proof =
    tasks.length === 0
      ? { problems: [], entries: [] }
      : await inspector.prove({ archive, listing, tasks, expandedBytes: limits.expandedBytes }, signal);
  const broken = [...problems, ...proof.problems];
  if (broken.length > 0) return refuse('invalid_archive', { errors: orderProblems(broken) });
  const proofs = new Map(proof.entries.map((entry) => [entry.entry, entry]));
  const entries = files.map((file) => manifestEntry(file, listing.entries, proofs));
  const observed = files.map(({ path, entry }) => ({ path, ...(proofs.get(entry) as EntryProof) }));
  return {
    kind: 'proved',
    entries,
    size: entries.reduce((sum, entry) => sum + entry.size, 0),
    warnings: warningsOf(new Manifest(entries), observed, absolutePathsWork),
  };
}

/** Nothing is published that was not proved: a file without its proof is the inspector's bug. */
function manifestEntry(
  file: SiteFile,
  listed: readonly ListedEntry[],
  proofs: ReadonlyMap<number, EntryProof>,
): ManifestEntry {
  const entry = listed[file.entry];
  const proof = proofs.get(file.entry);
  if (entry === undefined || proof === undefined) throw new TypeError('an entry was left unproved');
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
