import { forbiddenSegment, isSystemEntry, unsafePath } from './entry-path.ts';
import { runToEnd, visitInChunks } from './path-conflicts.ts';

/** Finds the folder to strip, with its slash; `''` for none, `undefined` if index.html is neither at the root nor in it. */
export function siteRoot(names: readonly string[]): string | undefined {
  if (names.includes('index.html')) return '';
  const folder = onlyFolder(names);
  return folder !== undefined && names.includes(`${folder}index.html`) ? folder : undefined;
}

/** Finds the folder that holds everything, with its slash. */
export function onlyFolder(names: readonly string[]): string | undefined {
  const [first = ''] = names;
  const folder = first.slice(0, first.indexOf('/') + 1);
  return folder !== '' && names.every((name) => name.startsWith(folder)) ? folder : undefined;
}

/** The output folders of common site generators, by their paths in a project. */
export const OUTPUT_FOLDERS: readonly string[] = [
  'dist',
  'build',
  'out',
  '_site',
  '.vitepress/dist',
  'public',
];

/** Advice for a site without index.html, by the files that it has instead. Paths of folders have no `/` at the end. */
export type IndexHint =
  /** There are no files. */
  | { readonly kind: 'empty' }
  /** The folder nearest to the root that has an index.html. */
  | { readonly kind: 'folder'; readonly path: string }
  /** Two of several such folders. */
  | { readonly kind: 'folders'; readonly path: string; readonly other: string }
  /** A page whose name is a variant of index.html, such as `Index.html`, and its folder if that is not the root. */
  | { readonly kind: 'spelling'; readonly path: string; readonly folder?: string }
  /** The only page at the root, or else the only page anywhere. It has another name. */
  | { readonly kind: 'page'; readonly path: string }
  /** Two of several pages at the root. They have other names. */
  | { readonly kind: 'pages'; readonly path: string; readonly other: string }
  /** The only archive among files without a page. */
  | { readonly kind: 'packed'; readonly path: string }
  /** The parts of an office document, which is a ZIP itself. */
  | { readonly kind: 'document' };

const PAGE = /\.html?$/i;
const INDEX_IN_ANY_SPELLING = /^index\.html?$/i;
const PACKED = /\.(?:zip|tar|tgz|tar\.gz|7z|rar)$/i;
/** The parts that mark Office Open XML, OpenDocument and EPUB. */
const DOCUMENT_PARTS: readonly string[] = [
  '[Content_Types].xml',
  'META-INF/manifest.xml',
  'META-INF/container.xml',
];

/**
 * Finds a hint for a site whose index.html is neither at the root nor in its only folder.
 *
 * @param paths the paths of its files and folders, with `/` between folders and at the end of a folder.
 * @returns `undefined` if no kind fits.
 */
export function indexHint(paths: readonly string[]): IndexHint | undefined {
  return runToEnd(indexHintInChunks(paths));
}

/** Like {@link indexHint}, but yields every few milliseconds: an archive can have megabytes of names of pages. */
export function* indexHintInChunks(paths: readonly string[]): Generator<void, IndexHint | undefined> {
  const own = paths.filter((path) => !isSystemEntry(path));
  const files = own.filter((path) => !path.endsWith('/'));
  if (files.length === 0) return { kind: 'empty' };
  if (DOCUMENT_PARTS.some((part) => files.includes(part))) return { kind: 'document' };
  const root = onlyFolder(own) ?? '';
  const [pages, packed]: [string[], string[]] = [[], []];
  yield* visitInChunks(
    files.map((name) => ({ name })),
    ({ name }) => {
      if (PAGE.test(name) && isAllowedPath(name)) pages.push(name);
      if (PACKED.test(name) && isAllowedPath(name)) packed.push(name);
    },
  );
  const atRoot = pages.filter((path) => path.lastIndexOf('/') < root.length);
  const variant = atRoot.find(isIndexInAnySpelling);
  if (variant !== undefined) return { kind: 'spelling', path: variant };
  return nearestIndex(pages) ?? pageHint(atRoot, pages) ?? archiveHint(packed);
}

function pageHint([path, other]: readonly string[], all: readonly string[]): IndexHint | undefined {
  if (path !== undefined && other !== undefined) return { kind: 'pages', path, other };
  const only = path ?? (all.length === 1 ? all[0] : undefined);
  return only === undefined ? undefined : { kind: 'page', path: only };
}

function archiveHint([path, other]: readonly string[]): IndexHint | undefined {
  return path === undefined || other !== undefined ? undefined : { kind: 'packed', path };
}

/** Finds the folder below the root that has an index.html, or else a page whose name is a variant of it. */
function nearestIndex(pages: readonly string[]): IndexHint | undefined {
  const indexes = pages.filter(isIndexInAnySpelling);
  const depth = indexes.reduce((minimum, path) => Math.min(minimum, depthOf(path)), Infinity);
  const nearest = indexes.filter((path) => depthOf(path) === depth);
  const folders = nearest.filter((path) => path.endsWith('/index.html')).map(folderOf);
  const [path, other] = folders;
  if (path === undefined) {
    const [variant] = nearest;
    return variant === undefined ? undefined : { kind: 'spelling', path: variant, folder: folderOf(variant) };
  }
  const isOutput = (folder: string): boolean =>
    OUTPUT_FOLDERS.some((name) => `/${folder}`.endsWith(`/${name}`));
  const output = folders.find(isOutput);
  if (output !== undefined || other === undefined) return { kind: 'folder', path: output ?? path };
  return { kind: 'folders', path, other };
}

/** Whether a site may have this path, so that advice can name it. */
function isAllowedPath(path: string): boolean {
  return unsafePath(path) === undefined && forbiddenSegment(path) === undefined;
}

function isIndexInAnySpelling(path: string): boolean {
  return INDEX_IN_ANY_SPELLING.test(path.slice(path.lastIndexOf('/') + 1));
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) depth += 1;
  return depth;
}
