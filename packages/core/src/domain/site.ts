import type { ManifestEntry } from './manifest.ts';

/** The files of a site by path in NFC, as a manifest has them. */
export interface FilesByPath<File> {
  get(path: string): File | undefined;
}

/** How a site answers a path: with a file, its own 404 page, a redirect, or nothing. */
export type Resolution<File = ManifestEntry> =
  /** `fallback`: it stands in for a path that no file or folder answers. */
  | { readonly kind: 'file'; readonly entry: File; readonly fallback: boolean }
  | { readonly kind: 'not_found_page'; readonly entry: File }
  /** Redirect to the path with a `/` at its end. */
  | { readonly kind: 'folder' }
  /** Redirect to the path without the `/` at its end. */
  | { readonly kind: 'page' }
  | { readonly kind: 'nothing' };

/**
 * No path of a file is longer in any normal form: it has at most 1,024 bytes, and canonical decomposition makes at most
 * three units of two bytes. Normalizing a long text can take time quadratic in its length.
 */
const MAX_NAME_LENGTH = 2_048;

/**
 * Which file answers a path (packages/viewer/README.md#what-it-answers).
 *
 * @param path the decoded path of the request inside the site, beginning with `/`.
 * @param navigation whether the browser navigates to the path, rather than loading a part of a page.
 */
export function resolve<File>(files: FilesByPath<File>, path: string, navigation: boolean): Resolution<File> {
  const name = path.slice(1);
  const answer = name.length > MAX_NAME_LENGTH ? undefined : answerOf(files, name.normalize('NFC'));
  return answer ?? fallback(files, name, navigation);
}

/** The file or redirect that answers a name, which is a path in NFC without its first slash. */
export function answerOf<File>(
  files: FilesByPath<File>,
  name: string,
): Extract<Resolution<File>, { kind: 'file' | 'folder' | 'page' }> | undefined {
  const isFolder = name === '' || name.endsWith('/');
  const direct = isFolder ? files.get(`${name}index.html`) : file(files, name);
  if (direct !== undefined) return { kind: 'file', entry: direct, fallback: false };
  const page = isFolder ? pageForFolder(name) : undefined;
  if (page !== undefined && files.get(page) !== undefined) return { kind: 'page' };
  // No file has an empty segment in its path, so this finds nothing where the name is empty or ends with `/`.
  return files.get(`${name}/index.html`) === undefined ? undefined : { kind: 'folder' };
}

/** The page that answers for a folder without a start page, by the folder's path. */
export function pageForFolder(folder: string): string | undefined {
  return /[^/]\/$/.test(folder) ? `${folder.slice(0, -1)}.html` : undefined;
}

function file<File>(files: FilesByPath<File>, name: string): File | undefined {
  return files.get(name) ?? files.get(`${name}.html`);
}

/**
 * What a site shows for a path that no file or folder answers.
 *
 * @param name the path without its first slash.
 */
export function fallback<File>(
  files: FilesByPath<File>,
  name: string,
  navigation: boolean,
): Resolution<File> {
  const everyPath = navigation ? files.get('200.html') : undefined;
  if (everyPath !== undefined) return { kind: 'file', entry: everyPath, fallback: true };
  const notFound = files.get('404.html');
  if (notFound !== undefined) return { kind: 'not_found_page', entry: notFound };
  const lastSegment = name.slice(name.lastIndexOf('/') + 1);
  const index = navigation && !lastSegment.includes('.') ? files.get('index.html') : undefined;
  return index === undefined ? { kind: 'nothing' } : { kind: 'file', entry: index, fallback: true };
}
