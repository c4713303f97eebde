import { ProblemList } from '../domain/archive-problems.ts';
import {
  type ArchiveListing,
  type Judgement,
  judgeInChunks,
  type ListedEntry,
  maxEntries,
  orderProblems,
  type SiteFile,
} from '../domain/archive-rules.ts';
import type { Cause } from '../domain/history.ts';
import type { AccountId } from '../domain/identity.ts';
import { duration } from '../domain/instant.ts';
import type { Limits } from '../domain/limits.ts';
import type { ManifestEntry } from '../domain/site.ts';
import { type DecodedNames, type Warning, warningsOf } from '../domain/warnings.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { EntryProof } from '../ports/archive-inspector.ts';
import type { Clock } from '../ports/clock.ts';
import type { StagedArchive } from '../ports/staging.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { type Measurement, type Observe, since } from './measurement.ts';

/** The chunks that are judged without a pause: a few milliseconds, which most archives do not exceed. */
const CHUNKS_WITHOUT_PAUSE = 8;
const NO_TIME = duration(0);
const ASCII = /^[\0-\x7f]*$/;

export interface ProvedArchive extends Omit<Submitted, 'archive'> {
  readonly kind: 'proved';
  readonly warnings: readonly Warning[];
}

/** A proved archive before it is published. */
export interface Submitted {
  readonly entries: readonly ManifestEntry[];
  /** Bytes of the site's files, expanded. */
  readonly size: number;
  /** The ZIP; do not change or discard it. */
  readonly archive: StagedArchive;
}

/** The account that publishes, and the origin of its request. */
export interface Submitter {
  readonly account: AccountId;
  readonly cause: Cause;
}

/**
 * Called for every archive that breaks no rule, even in dry runs, before it is stored. A refusal prevents the publication,
 * and the publisher sees its rule and words. After an exception the publication can be tried again.
 */
export type BeforePublish = (
  listing: Submitted,
  caller: Submitter,
) => Promise<Refusal<'refused_by_host'> | undefined> | Refusal<'refused_by_host'> | undefined;

export interface ProofOptions {
  /** False if sites are viewed in path mode: publishing then warns of absolute references. Default true. */
  readonly absolutePathsWork?: boolean | undefined;
  readonly observe?: Observe | undefined;
  readonly beforePublish?: BeforePublish | undefined;
}

export interface ProofTools extends ProofOptions {
  readonly ports: Pick<AllPorts, 'inspector' | 'clock'>;
  readonly limits: Limits;
}

/** Applies every rule to a staged archive, and `beforePublish` last. */
export async function prove(
  tools: ProofTools,
  { archive, account, cause }: Submitter & { readonly archive: StagedArchive },
  signal?: AbortSignal,
): Promise<ProvedArchive | Refusal<'invalid_archive' | 'refused_by_host'>> {
  const proved = await measured(tools, 'prove', proveArchive(tools, archive, signal));
  if (isRefusal(proved)) return proved;
  const { entries, size } = proved;
  const refusal = await tools.beforePublish?.({ entries, size, archive }, { account, cause });
  return refusal == null ? proved : validRefusal(refusal);
}

/** Validates a refusal of `beforePublish`, which may return anything in plain JavaScript. */
function validRefusal(refusal: Partial<Refusal<'refused_by_host'>>): Refusal<'refused_by_host'> {
  const { code, rule, words } = refusal;
  if (code === 'refused_by_host' && typeof rule === 'string' && typeof words?.en === 'string') {
    return { kind: 'refused', code, rule, words };
  }
  throw new TypeError('beforePublish must answer undefined, or a refusal with a rule and words in English');
}

/** Reports the duration of a successful stage. */
export async function measured<Result>(
  { ports: { clock }, observe }: ProofTools,
  stage: Extract<Measurement, { kind: 'stage' }>['stage'],
  work: Promise<Result>,
): Promise<Result> {
  const start = clock.now();
  const result = await work;
  observe?.({ kind: 'stage', stage, took: since(start, clock) });
  return result;
}

/** Applies all rules to a staged archive: first those for the listing, then those that need each entry inflated. */
export async function proveArchive(
  { ports: { inspector, clock }, limits, absolutePathsWork = true }: ProofTools,
  archive: StagedArchive,
  signal?: AbortSignal,
): Promise<ProvedArchive | Refusal<'invalid_archive'>> {
  const listing = await inspector.list(archive, signal, maxEntries(limits));
  const { problems, omitted, files, tasks } = await judge(listing, limits, clock, signal);
  const proof =
    tasks.length === 0
      ? { problems: [], entries: [] }
      : await inspector.prove({ archive, listing, tasks, expandedBytes: limits.expandedBytes }, signal);
  const broken = new ProblemList();
  broken.add(problems, omitted);
  broken.add(proof.problems);
  if (broken.listed.length > 0) {
    const ordered = orderProblems(broken.listed);
    return { kind: 'refused', code: 'invalid_archive', problems: ordered, omitted: broken.omitted };
  }
  const proofs = new Map(proof.entries.map((entry) => [entry.entry, entry]));
  const entries = files.map((file) => manifestEntry(file, listing.entries, proofs));
  const observed = files.map(({ path, entry }) => ({ ...(proofs.get(entry) as EntryProof), path }));
  return {
    kind: 'proved',
    entries,
    size: entries.reduce((sum, entry) => sum + entry.size, 0),
    warnings: warningsOf(observed, absolutePathsWork, guessedNames(listing, files)),
  };
}

/** Takes the path of the first guessed name in the site, or in the archive if only the name of a folder was guessed. */
function guessedNames(
  { guessed, entries }: ArchiveListing,
  files: readonly SiteFile[],
): DecodedNames | undefined {
  if (guessed === undefined) return undefined;
  const { encoding, first, whole } = guessed;
  const inSite = files.find(({ entry }) => entry === first)?.path ?? '';
  return { encoding, whole, path: ASCII.test(inSite) ? (entries[first]?.name ?? '') : inSite };
}

/** Judges a listing in chunks, so that 10 MB of names do not block the event loop. */
async function judge(
  listing: ArchiveListing,
  limits: Limits,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<Judgement> {
  const judging = judgeInChunks(listing, limits);
  for (let chunks = 0; ; chunks += 1) {
    const step = judging.next();
    if (step.done === true) return step.value;
    if (chunks >= CHUNKS_WITHOUT_PAUSE) await clock.sleep(NO_TIME, signal);
  }
}

/** @throws TypeError for a file without its proof, which is a bug of the inspector. */
function manifestEntry(
  file: SiteFile,
  listed: readonly ListedEntry[],
  proofs: ReadonlyMap<number, EntryProof>,
): ManifestEntry {
  const entry = listed[file.entry] as ListedEntry;
  const proof = proofs.get(file.entry);
  if (proof === undefined) throw new TypeError('an entry is unproved');
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
