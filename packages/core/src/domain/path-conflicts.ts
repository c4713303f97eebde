import { hasManyMarks } from './text.ts';

/** The work between two pauses, in characters of names: takes some milliseconds. */
export const CHUNK_WORK = 131_072;
const NAME_COST = 64;
/** Normalizing sorts the combining marks of a name, in quadratic time: divides the square of its length. */
const SORTING_DIVISOR = 64;

interface Named {
  readonly name: string;
  /** A cached result of {@link estimateWork}: searching for marks takes long itself. */
  readonly work?: number;
}

/** Visits items with names, and yields after about the same work each time. */
export function* visitInChunks<E extends Named>(
  items: readonly E[],
  visit: (item: E) => void,
): Generator<void, void> {
  let sum = 0;
  for (const item of items) {
    visit(item);
    sum += item.work ?? estimateWork(item.name);
    if (sum < CHUNK_WORK) continue;
    sum = 0;
    yield;
  }
}

/** The work to compare a name, in characters. */
export function estimateWork(name: string): number {
  const sorting = hasManyMarks(name) ? name.length ** 2 / SORTING_DIVISOR : 0;
  return name.length + NAME_COST + sorting;
}

/** Runs work that yields between chunks, without a pause. */
export function runToEnd<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

const SLASH = 47;
/** The maximum length of a name in a ZIP, plus 1. */
const MAX_NAME_LENGTH = 65_536;

/** Finds files whose path is also a folder of another entry, in time linear in all names. Yields between chunks of work. */
export function* findPathConflicts<E extends Named>(
  entries: readonly Named[],
  files: readonly E[],
): Generator<void, readonly E[]> {
  const byHash = new Map<number, Set<string>>();
  yield* visitInChunks(files, ({ name }) => {
    const key = keyOf(hashOf(name), name.length);
    byHash.set(key, (byHash.get(key) ?? new Set()).add(name));
  });
  const conflicts = new Set<string>();
  yield* visitInChunks(entries, ({ name }) => addParents(name, byHash, conflicts));
  return files.filter(({ name }) => conflicts.has(name));
}

/** Adds the parent folders of `name` that are also files. */
function addParents(name: string, byHash: ReadonlyMap<number, ReadonlySet<string>>, to: Set<string>): void {
  let hash = 0;
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    if (code === SLASH) {
      const files = byHash.get(keyOf(hash, at));
      if (files !== undefined) addParent(name, at, files, to);
    }
    hash = nextHash(hash, code);
  }
}

/** Compares with a single file until it is found; of many with the same key, which an archive can be made of, a set finds one. */
function addParent(name: string, length: number, files: ReadonlySet<string>, to: Set<string>): void {
  const [file = ''] = files;
  if (files.size === 1 && to.has(file)) return;
  const parent = name.slice(0, length);
  if (files.size === 1 ? file === parent : files.has(parent)) to.add(parent);
}

/** Names of different lengths have different keys: comparing a file takes time only with prefixes of its length. */
function keyOf(hash: number, length: number): number {
  return (hash >>> 0) * MAX_NAME_LENGTH + length;
}

function hashOf(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at += 1) hash = nextHash(hash, name.charCodeAt(at));
  return hash;
}

function nextHash(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}

const ASCII = /^[\0-\x7f]*$/;
/** Upper case would turn ı into I, as only Turkish does, and is two letters for each of these ligatures of st. */
const FOLDS: ReadonlyMap<string, string> = new Map([
  ['ı', 'ı'],
  ['ﬅ', 'ﬆ'],
]);

/** A cache: for each UTF-16 unit, 1 more than the unit that it folds to; 0 if that is not known yet. */
let foldedUnits: Uint32Array | undefined;

/**
 * Returns the same text for paths that a file system that ignores case takes for the same: NFC, then simple case folding,
 * to upper case and then to lower (Unicode, section 5.18). Characters are folded one by one, because sigma has another
 * lower case at the end of a word.
 */
export function foldPath(path: string): string {
  return ASCII.test(path) ? path.toLowerCase() : foldEach(path.normalize('NFC'));
}

/** Folds each character, with a cache: folding it again takes ten times as long. */
function foldEach(text: string): string {
  foldedUnits ??= new Uint32Array(0x1_00_00);
  let folded = '';
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // The cache is by UTF-16 unit, so it has no surrogate pairs.
    if ((unit & 0xf8_00) === 0xd8_00) {
      const character = String.fromCodePoint(text.codePointAt(at) as number);
      folded += foldCharacter(character);
      at += character.length - 1;
      continue;
    }
    foldedUnits[unit] ||= foldCharacter(String.fromCharCode(unit)).charCodeAt(0) + 1;
    folded += String.fromCharCode((foldedUnits[unit] as number) - 1);
  }
  return folded;
}

function foldCharacter(character: string): string {
  const fold = FOLDS.get(character);
  if (fold !== undefined) return fold;
  const upper = ifSameLength(character.toUpperCase(), character);
  return ifSameLength(upper.toLowerCase(), upper);
}

/** Ignores a mapping to several characters, such as ß to SS. A mapping to one character never changes the length. */
function ifSameLength(mapped: string, original: string): string {
  return mapped.length === original.length ? mapped : original;
}
