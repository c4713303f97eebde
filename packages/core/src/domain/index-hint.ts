import { forbiddenSegment, unsafePath } from './entry-path.ts';
import { onlyFolder } from './site-root.ts';
import { isSystemEntry } from './system-files.ts';

/** The output folders of the usual generators of sites, by their paths in a project. */
export const OUTPUT_FOLDERS: readonly string[] = [
  'dist',
  'build',
  'out',
  '_site',
  '.vitepress/dist',
  'public',
];

/** What there is in place of an index.html, which says how to mend it. Folders are named without a `/` at the end. */
export type IndexHint =
  /** There are no files. */
  | { readonly kind: 'empty' }
  /** The folder nearest to the root that has an index.html. */
  | { readonly kind: 'folder'; readonly path: string }
  /** Two of several such folders. */
  | { readonly kind: 'folders'; readonly path: string; readonly other: string }
  /** A page whose name is index.html in another spelling, such as `Index.html`; and its folder, if that is not the site's. */
  | { readonly kind: 'spelling'; readonly path: string; readonly folder?: string }
  /** The only page at the root, or the only one, which has another name. */
  | { readonly kind: 'page'; readonly path: string }
  /** The only file, which is packed itself. */
  | { readonly kind: 'packed'; readonly path: string };

const PAGE = /\.html?$/i;
const INDEX_IN_ANY_SPELLING = /(?:^|\/)index\.html?$/i;
const PACKED = /\.(?:zip|tar|tgz|tar\.gz|7z|rar)$/i;

/**
 * Finds what to say about a site that has no index.html where one must be.
 *
 * @param paths the paths of its files and folders, with `/` between folders and at the end of a folder.
 * @returns `undefined` if there is no page and no archive among the files.
 */
export function indexHint(paths: readonly string[]): IndexHint | undefined {
  const own = paths.filter((path) => !isSystemEntry(path));
  const files = own.filter((path) => !path.endsWith('/'));
  const [only] = files;
  if (only === undefined) return { kind: 'empty' };
  if (files.length === 1 && PACKED.test(only) && isPlain(only)) return { kind: 'packed', path: only };
  const root = onlyFolder(own) ?? '';
  const pages = files.filter((path) => PAGE.test(path) && isPlain(path));
  const atRoot = pages.filter((path) => path.lastIndexOf('/') < root.length);
  const spelled = atRoot.find((path) => INDEX_IN_ANY_SPELLING.test(path));
  if (spelled !== undefined) return { kind: 'spelling', path: spelled };
  const [page, ...others] = atRoot.length > 0 ? atRoot : pages;
  const hasOne = page !== undefined && others.length === 0;
  return nearestIndex(pages) ?? (hasOne ? { kind: 'page', path: page } : undefined);
}

/** Below the root: the folder with an index.html, or the page that is spelled like one. */
function nearestIndex(pages: readonly string[]): IndexHint | undefined {
  const indexes = pages.filter((path) => INDEX_IN_ANY_SPELLING.test(path));
  const depth = indexes.reduce((least, path) => Math.min(least, depthOf(path)), Infinity);
  const nearest = indexes.filter((path) => depthOf(path) === depth);
  const folders = nearest.filter((path) => path.endsWith('/index.html')).map(folderOf);
  const [path, other] = folders;
  if (path === undefined) {
    const [spelled] = nearest;
    return spelled === undefined ? undefined : { kind: 'spelling', path: spelled, folder: folderOf(spelled) };
  }
  const isOutput = (folder: string): boolean =>
    OUTPUT_FOLDERS.some((name) => `/${folder}`.endsWith(`/${name}`));
  const built = folders.find(isOutput);
  if (built !== undefined || other === undefined) return { kind: 'folder', path: built ?? path };
  return { kind: 'folders', path, other };
}

/** Whether the path is fit to be named: it can be in a site. */
function isPlain(path: string): boolean {
  return unsafePath(path) === undefined && forbiddenSegment(path) === undefined;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function depthOf(path: string): number {
  return path.split('/').length;
}
