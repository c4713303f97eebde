import { type ArchiveProblem, type ArchiveRule, ProblemList } from './archive-problems.ts';
import {
  type EntryPath,
  entryPath,
  forbiddenSegment,
  isSystemEntry,
  isTooLong,
  kindOfEntry,
  nameNormalizer,
  unsafePath,
  withoutIconEnd,
} from './entry-path.ts';
import { indexHintInChunks, siteRoot } from './index-hint.ts';
import { defaultLimits, type Limits } from './limits.ts';
import type { NameEncoding } from './name-encoding.ts';
import {
  CHUNK_WORK,
  estimateWork,
  findPathConflicts,
  foldPath,
  runToEnd,
  visitInChunks,
} from './path-conflicts.ts';

/** An entry of the central directory (APPNOTE.TXT, section 4.3.12), its name decoded. */
export interface ListedEntry {
  readonly name: string;
  /** The upper byte of "version made by": the system that `externalAttributes` come from. */
  readonly host: number;
  readonly externalAttributes: number;
  /** The general purpose bit flag. */
  readonly flags: number;
  /** The compression method: 0 stored, 8 deflated, others are refused. */
  readonly method: number;
  readonly crc32: number;
  readonly compressedSize: number;
  /** Bytes inflated, as declared. */
  readonly size: number;
  /** The offset of the entry's data in the archive, after its local header. */
  readonly dataOffset: number;
  /** Whether it is a file `._x` whose data begin like AppleDouble. */
  readonly appleDouble?: true;
}

/** How names in an unmarked encoding were decoded. */
export interface GuessedNames {
  readonly encoding: NameEncoding;
  /** The first entry with such a name. */
  readonly first: number;
  /** Whether all pages were compared with the names; false if that would have taken too long. */
  readonly whole: boolean;
}

/** An archive's structure, as an inspector reads it. */
export interface ArchiveListing {
  readonly entries: readonly ListedEntry[];
  /** Problems that only the bytes show: in the structure, the headers and the encodings. */
  readonly problems: readonly ArchiveProblem[];
  /** The number of further problems; absent for 0. */
  readonly omitted?: number;
  /** Whether offsets and sizes of the entries are reliable. */
  readonly trusted: boolean;
  /** Absent if no name had to be guessed. */
  readonly guessed?: GuessedNames;
}

/** A file of the site, and the entry that has it. */
export interface SiteFile {
  readonly path: EntryPath;
  readonly entry: number;
}

/** An entry to prove by inflating it. */
export interface ProofTask {
  readonly entry: number;
  /** The name to report problems under. */
  readonly name: string;
  /** The maximum number of bytes it may inflate to. */
  readonly limit: number;
  /** Its path in the site; absent for folders and for files that operating systems add. */
  readonly path?: EntryPath;
}

/** The result of applying the rules to a listing. */
export interface Judgement {
  readonly problems: readonly ArchiveProblem[];
  readonly omitted: number;
  /** The site's files, without the common parent folder. Only meaningful without problems. */
  readonly files: readonly SiteFile[];
  /** The entries to inflate; empty if a count or size limit is exceeded or the structure is unreliable. */
  readonly tasks: readonly ProofTask[];
}

interface NamedEntry {
  readonly name: string;
  readonly work: number;
  readonly index: number;
  readonly listed: ListedEntry;
  readonly isFolder: boolean;
  readonly isSystem: boolean;
}

const BOUNDS: readonly ArchiveRule[] = ['too_many_files', 'file_too_large', 'expanded_too_large'];

type ArchiveLimits = Pick<Limits, 'files' | 'fileBytes' | 'expandedBytes'>;

/** An archive with more entries than this many times the files allowed is refused without comparing names. */
const FAR_TOO_MANY = 10;

/** Maximum entries to read. Folders and system files count too, so a low limit for files does not lower it. */
export function maxEntries({ files }: Pick<Limits, 'files'>): number {
  return FAR_TOO_MANY * Math.max(files, defaultLimits.files);
}

/** Applies all rules that need no bytes to a listing, and reports all problems at once. */
export function judgeListing(listing: ArchiveListing, limits: ArchiveLimits): Judgement {
  return runToEnd(judgeInChunks(listing, limits));
}

/** Like {@link judgeListing}, but yields every few milliseconds, so as not to block the event loop. */
export function* judgeInChunks(listing: ArchiveListing, limits: ArchiveLimits): Generator<void, Judgement> {
  const entries = yield* nameEntries(listing.entries);
  const files = entries.filter((entry) => !entry.isFolder);
  const names = entries.filter((entry) => !entry.isSystem).map(({ name }) => name);
  const root = siteRoot(names);
  const stripped = root ?? '';
  const readable = entries.length > 0 || listing.problems.length === 0;
  yield;
  const found = new ProblemList();
  found.add(
    listing.problems.map((problem) => withFileLimit(problem, limits)),
    listing.omitted,
  );
  yield* visitInChunks(entries, (entry) => found.add(entryProblems(entry)));
  found.add(boundProblems(entries, limits));
  yield* addNameProblems(entries, files, limits, found);
  if (root === undefined && readable) {
    const hint = yield* indexHintInChunks(names);
    found.add([{ rule: 'missing_index', ...(hint && { hint }) }]);
  }
  const provable = listing.trusted && !BOUNDS.some((rule) => found.has(rule));
  return {
    problems: found.listed,
    omitted: found.omitted,
    files: yield* siteFiles(files, stripped),
    tasks: provable ? proofTasks(entries, stripped, limits) : [],
  };
}

/** Puts the first problem of each rule before the second of any, so that a truncated list still names every rule. */
export function orderProblems<P extends { readonly rule: string }>(problems: readonly P[]): readonly P[] {
  const firsts = new Map<string, P>();
  for (const problem of problems) if (!firsts.has(problem.rule)) firsts.set(problem.rule, problem);
  return [...firsts.values(), ...problems.filter((problem) => firsts.get(problem.rule) !== problem)];
}

function* nameEntries(listed: readonly ListedEntry[]): Generator<void, readonly NamedEntry[]> {
  const normalize = nameNormalizer(listed);
  const entries: NamedEntry[] = [];
  let length = 0;
  for (const [index, entry] of listed.entries()) {
    const name = normalize(entry.name);
    if (name === undefined) continue;
    entries.push({
      name,
      work: estimateWork(name),
      index,
      listed: entry,
      isFolder: name.endsWith('/'),
      isSystem: entry.appleDouble === true || isSystemEntry(name),
    });
    length += name.length;
    if (length < CHUNK_WORK) continue;
    length = 0;
    yield;
  }
  return entries;
}

/** Replaces the limit in the problem of an inspector that stopped at {@link maxEntries} by the limit for files. */
function withFileLimit(problem: ArchiveProblem, { files }: ArchiveLimits): ArchiveProblem {
  return problem.rule === 'too_many_files' ? { ...problem, limit: files } : problem;
}

/** Adds problems for files that have the same path in some file system, and for files whose path is also a folder. */
function* addNameProblems(
  entries: readonly NamedEntry[],
  files: readonly NamedEntry[],
  limits: ArchiveLimits,
  found: ProblemList,
): Generator<void, void> {
  // The limit does not count files that operating systems add.
  const counted = files.filter((file) => !file.isSystem).length;
  if (counted > FAR_TOO_MANY * limits.files) return;
  yield* addSamePathProblems(files, found);
  const conflicts = yield* findPathConflicts(entries, files);
  found.add(conflicts.map(({ name: path }) => ({ rule: 'path_conflict', path })));
}

function entryProblems({ name: path, listed, isSystem }: NamedEntry): readonly ArchiveProblem[] {
  const problems: ArchiveProblem[] = [];
  const reason = unsafePath(isSystem ? withoutIconEnd(path) : path);
  if (reason !== undefined) problems.push({ rule: 'unsafe_path', path, reason });
  const segment = forbiddenSegment(path);
  if (segment !== undefined) problems.push({ rule: 'forbidden_name', path, segment });
  const kind = kindOfEntry(path, listed);
  if (kind === 'symlink') problems.push({ rule: 'symlink', path });
  if (kind === 'special') problems.push({ rule: 'special_file', path });
  const { method } = listed;
  if (isEncrypted(listed)) problems.push({ rule: 'encrypted', path });
  else if (!isInflatable(listed)) problems.push({ rule: 'unsupported_compression', path, method });
  return problems;
}

function isInflatable({ method }: ListedEntry): boolean {
  return method === 0 || method === 8;
}

/** Bits 0, 6 and 13 (APPNOTE.TXT, section 4.4.4), and the method of AE-x, stand for encryption. */
function isEncrypted(entry: ListedEntry): boolean {
  return (entry.flags & 0x2041) !== 0 || entry.method === 99;
}

function boundProblems(entries: readonly NamedEntry[], limits: ArchiveLimits): readonly ArchiveProblem[] {
  const problems: ArchiveProblem[] = [];
  const files = entries.filter((entry) => !entry.isFolder && !entry.isSystem);
  if (files.length > limits.files) {
    problems.push({ rule: 'too_many_files', limit: limits.files, actual: files.length });
  }
  for (const { name: path, listed } of files) {
    if (listed.size <= limits.fileBytes) continue;
    problems.push({ rule: 'file_too_large', path, limit: limits.fileBytes, actual: listed.size });
  }
  const actual = entries.reduce((sum, entry) => sum + entry.listed.size, 0);
  if (actual > limits.expandedBytes) {
    problems.push({ rule: 'expanded_too_large', limit: limits.expandedBytes, actual });
  }
  return problems;
}

function* addSamePathProblems(files: readonly NamedEntry[], found: ProblemList): Generator<void, void> {
  const seen = new Map<string, string>();
  yield* visitInChunks(files, ({ name: path }) => {
    // Another rule refuses a path that is too long, and folding it could take quadratic time.
    const folded = isTooLong(path) ? path : foldPath(path);
    const other = seen.get(folded);
    if (other === undefined) seen.set(folded, path);
    else found.add([{ rule: 'duplicate_path', path, ...(other === path ? {} : { other }) }]);
  });
}

function* siteFiles(files: readonly NamedEntry[], root: string): Generator<void, readonly SiteFile[]> {
  const site: SiteFile[] = [];
  yield* visitInChunks(files, (file) => {
    const path = sitePath(file, root);
    if (path !== undefined) site.push({ path, entry: file.index });
  });
  return site;
}

function sitePath(entry: NamedEntry, root: string): EntryPath | undefined {
  return entry.isFolder || entry.isSystem ? undefined : entryPath(entry.name.slice(root.length));
}

function proofTasks(
  entries: readonly NamedEntry[],
  root: string,
  limits: Pick<Limits, 'fileBytes' | 'expandedBytes'>,
): readonly ProofTask[] {
  const readable = entries.filter(({ listed }) => isInflatable(listed) && !isEncrypted(listed));
  return readable.map((entry) => {
    const path = sitePath(entry, root);
    const limit = entry.isSystem || entry.isFolder ? limits.expandedBytes : limits.fileBytes;
    return { entry: entry.index, name: entry.name, limit, ...(path === undefined ? {} : { path }) };
  });
}
