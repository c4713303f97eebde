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

/** A file that may have been meant for the index.html, and where it lies. */
export interface MisplacedIndex {
  /** The last segment of its path only, a few plain letters: folders may be called anything. */
  readonly name: string;
  readonly depth: number;
  /** Whether the outermost of them holds everything. */
  readonly inOnlyFolder: boolean;
}

/** For a site without an index.html in its place: the file nearest to the root that may be meant as one. */
export function misplacedIndex(entries: readonly PlacedEntry[]): MisplacedIndex | undefined {
  const inOnlyFolder = onlyFolder(entries) !== undefined;
  const found = entries.flatMap(({ name: path, isFolder }): readonly MisplacedIndex[] => {
    const segments = path.split('/');
    const name = segments.at(-1) as string;
    if (isFolder || !/^index\.html?$/i.test(name)) return [];
    return [{ name, depth: segments.length - 1, inOnlyFolder }];
  });
  return found.sort((one, other) => one.depth - other.depth)[0];
}

/** The folder that holds everything, with its slash. */
function onlyFolder(entries: readonly PlacedEntry[]): string | undefined {
  const first = entries[0]?.name ?? '';
  const folder = first.slice(0, first.indexOf('/') + 1);
  return folder !== '' && entries.every(({ name }) => name.startsWith(folder)) ? folder : undefined;
}
