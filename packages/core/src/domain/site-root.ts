/** An entry of an archive, as far as it matters where the site begins. */
export interface PlacedEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** The folder to strip with its slash, `''` for none, `undefined` when there is no index.html where one must be. */
export function siteRoot(entries: readonly PlacedEntry[]): string | undefined {
  const has = (path: string): boolean => entries.some(({ name }) => name === path);
  if (has('index.html')) return '';
  const folder = onlyFolder(entries);
  return folder !== undefined && has(`${folder}index.html`) ? folder : undefined;
}

const EXPECTED =
  'Put an index.html (lower case) at the root of the ZIP or in the one folder that holds everything.';

/**
 * What to do where no index.html is in its place, and what was found that may have been meant for one. Of a name only
 * the last segment is told, which is a few plain letters then: folders may be called anything.
 */
export function missingIndex(entries: readonly PlacedEntry[]): string {
  const found = entries.flatMap((entry) => indexLike(entry) ?? []).sort((a, b) => a.depth - b.depth)[0];
  if (found === undefined) return EXPECTED;
  return `${EXPECTED} Found "${found.segment}" ${placeOf(found.depth, onlyFolder(entries) !== undefined)}.`;
}

interface IndexLike {
  readonly segment: string;
  /** In how many folders it lies. */
  readonly depth: number;
}

function indexLike({ name, isFolder }: PlacedEntry): IndexLike | undefined {
  const segment = name.slice(name.lastIndexOf('/') + 1);
  if (isFolder || !/^index\.html?$/i.test(segment)) return undefined;
  return { segment, depth: name.split('/').length - 1 };
}

function placeOf(depth: number, oneFolder: boolean): string {
  if (depth === 0) return 'at the root';
  if (depth > 1) return `${depth} folders deep`;
  return oneFolder ? 'in that folder' : 'in a folder that does not hold everything';
}

/** The folder that holds everything, with its slash. */
function onlyFolder(entries: readonly PlacedEntry[]): string | undefined {
  const first = entries[0]?.name ?? '';
  const folder = first.slice(0, first.indexOf('/') + 1);
  return folder !== '' && entries.every(({ name }) => name.startsWith(folder)) ? folder : undefined;
}
