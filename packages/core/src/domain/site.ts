import { Fault } from '../fault.ts';
import type { EntryPath } from './entry-path.ts';
import type { Branded } from './identity.ts';

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

/** No path of a file is longer in any normal form, and normalizing takes time quadratic in the length. */
const MAX_NAME_LENGTH = 2_048;

/**
 * Which file answers a path (packages/viewer/README.md#what-it-answers).
 *
 * @param path the decoded path of the request inside the site, beginning with `/`.
 * @param navigation whether the browser navigates to the path, rather than loading a part of a page.
 */
export function resolve<File>(files: FilesByPath<File>, path: string, navigation: boolean): Resolution<File> {
  const name = path.slice(1);
  const answer = name.length > MAX_NAME_LENGTH ? undefined : findAnswer(files, name.normalize('NFC'));
  return answer ?? findFallback(files, name, navigation);
}

/** The file or redirect that answers a name, which is a path in NFC without its first slash. */
export function findAnswer<File>(
  files: FilesByPath<File>,
  name: string,
): Extract<Resolution<File>, { kind: 'file' | 'folder' | 'page' }> | undefined {
  const isFolder = name === '' || name.endsWith('/');
  const direct = isFolder ? files.get(`${name}index.html`) : (files.get(name) ?? files.get(`${name}.html`));
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

/** What a site shows for a path, without its first slash, that no file or folder answers. */
export function findFallback<File>(
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

/** A file of a published site, and where its bytes lie in the archive. */
export interface ManifestEntry {
  readonly path: EntryPath;
  /** Offset of the data, behind the local header. */
  readonly offset: number;
  /** Bytes in the archive from there. */
  readonly compressedSize: number;
  /** Bytes expanded. */
  readonly size: number;
  readonly method: 'stored' | 'deflated';
  /** CRC-32 of the expanded bytes, unsigned. */
  readonly crc32: number;
  /** Whether the proof saw that the whole file is valid UTF-8. */
  readonly utf8: boolean;
}

/** A manifest as stores keep it: text with its own version, opaque to them. */
export type EncodedManifest = Branded<string, 'EncodedManifest'>;

/** The files of a site by path in NFC, in which no two files of an archive are the same. */
export class Manifest {
  #byPath: ReadonlyMap<string, ManifestEntry> | undefined;
  readonly entries: readonly ManifestEntry[];

  constructor(entries: readonly ManifestEntry[]) {
    this.entries = entries;
  }

  /** The file of that path in NFC, or `undefined`. */
  get(path: string): ManifestEntry | undefined {
    // Made at the first lookup: listing the files needs none, and the map takes longer to make than the rest.
    this.#byPath ??= new Map(this.entries.map((entry) => [entry.path.normalize('NFC'), entry]));
    return this.#byPath.get(path);
  }
}

const VERSION = 1;

export function encodeManifest(entries: readonly ManifestEntry[]): EncodedManifest {
  const rows = entries.map((entry) => [
    entry.path,
    entry.offset,
    entry.compressedSize,
    entry.size,
    entry.method === 'deflated' ? 8 : 0,
    entry.crc32,
    entry.utf8 ? 1 : 0,
  ]);
  return JSON.stringify([VERSION, rows]) as EncodedManifest;
}

type Row = [EntryPath, number, number, number, 0 | 8, number, 0 | 1];

/** @throws Fault `store_corrupt` when the text is no manifest of a version known here. */
export function decodeManifest(encoded: EncodedManifest): Manifest {
  return new Manifest(
    rowsOf(encoded).map(([path, offset, compressedSize, size, method, crc32, utf8]) => ({
      path,
      offset,
      compressedSize,
      size,
      method: method === 8 ? 'deflated' : 'stored',
      crc32,
      utf8: utf8 === 1,
    })),
  );
}

function rowsOf(encoded: EncodedManifest): readonly Row[] {
  let cause: unknown;
  try {
    const [version, rows, more] = JSON.parse(encoded);
    if (version === VERSION && Array.isArray(rows) && more === undefined) return rows;
  } catch (error) {
    cause = error;
  }
  throw new Fault('store_corrupt', 'the manifest cannot be read', { cause });
}

/**
 * Media types of text, which are sent as gzip to clients that accept it. Other files are sent as they are: browsers save
 * some downloads in their coded form, and readers of parts ask for a file's own length first.
 */
const COMPRESSIBLE = new RegExp(
  [
    '^text/',
    '^application/(?:json5?|javascript|ecmascript|node|xml(?:-dtd)?|wasm)$',
    '^font/(?:ttf|otf|collection)$',
    '[+](?:json|xml)$',
  ].join('|'),
);

/** Whether files of a media type are sent as gzip, where the archive has them deflated. */
export function isCompressibleType(mediaType: string): boolean {
  return COMPRESSIBLE.test(mediaType);
}
