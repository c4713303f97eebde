import { Fault } from '../fault.ts';
import type { EntryPath } from './entry-path.ts';
import type { Branded } from './identity.ts';
import { toNfc } from './text.ts';

/** The files of a site by path in NFC. */
export interface FilesByPath<File> {
  get(path: string): File | undefined;
}

/** A site's answer to a path: a file, its own 404 page, a redirect, or nothing. */
export type Resolution<File = ManifestEntry> =
  /** `fallback`: it stands in for a path that no file or folder answers. */
  | { readonly kind: 'file'; readonly entry: File; readonly fallback: boolean }
  | { readonly kind: 'not_found_page'; readonly entry: File }
  /** Redirect to the path with a `/` at its end. */
  | { readonly kind: 'folder' }
  /** Redirect to the path without the `/` at its end. */
  | { readonly kind: 'page' }
  | { readonly kind: 'nothing' };

/** Longer than any path in any normal form. Longer names are not normalized, which takes quadratic time. */
const MAX_NAME_LENGTH = 2_048;

/**
 * Finds the answer to a path (packages/viewer/README.md#what-it-answers).
 *
 * @param path the decoded path of the request inside the site, beginning with `/`.
 * @param navigation whether the browser opens a page, and does not load a part of one.
 */
export function resolve<File>(files: FilesByPath<File>, path: string, navigation: boolean): Resolution<File> {
  const name = path.slice(1);
  const answer = name.length > MAX_NAME_LENGTH ? undefined : findAnswer(files, toNfc(name));
  return answer ?? findFallback(files, name, navigation);
}

/** Finds the file or redirect for a name, which is a path in NFC without its first slash. */
export function findAnswer<File>(
  files: FilesByPath<File>,
  name: string,
): Extract<Resolution<File>, { kind: 'file' | 'folder' | 'page' }> | undefined {
  const isFolder = name === '' || name.endsWith('/');
  const direct = isFolder ? files.get(`${name}index.html`) : (files.get(name) ?? files.get(`${name}.html`));
  if (direct !== undefined) return { kind: 'file', entry: direct, fallback: false };
  const page = isFolder ? pageForFolder(name) : undefined;
  if (page !== undefined && files.get(page) !== undefined) return { kind: 'page' };
  // No path has an empty segment, so this finds nothing for a name that is empty or ends with `/`.
  return files.get(`${name}/index.html`) === undefined ? undefined : { kind: 'folder' };
}

/** The path of the page that answers for a folder without a start page: `x.html` for `x/`. */
export function pageForFolder(folder: string): string | undefined {
  return /[^/]\/$/.test(folder) ? `${folder.slice(0, -1)}.html` : undefined;
}

/** Finds the answer to a path, without its first slash, that no file or folder answers. */
export function findFallback<File>(
  files: FilesByPath<File>,
  name: string,
  navigation: boolean,
): Resolution<File> {
  const catchAll = navigation ? files.get('200.html') : undefined;
  if (catchAll !== undefined) return { kind: 'file', entry: catchAll, fallback: true };
  const notFound = files.get('404.html');
  if (notFound !== undefined) return { kind: 'not_found_page', entry: notFound };
  const lastSegment = name.slice(name.lastIndexOf('/') + 1);
  const index = navigation && !lastSegment.includes('.') ? files.get('index.html') : undefined;
  return index === undefined ? { kind: 'nothing' } : { kind: 'file', entry: index, fallback: true };
}

/** A file of a published site, and the position of its bytes in the archive. */
export interface ManifestEntry {
  readonly path: EntryPath;
  /** Offset of the data, after the local header. */
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

/** A manifest as it is stored: text with a version, opaque to stores. */
export type EncodedManifest = Branded<string, 'EncodedManifest'>;

/** The files of a site by path. In NFC, no two files of an archive have the same path. */
export class Manifest {
  #byPath: ReadonlyMap<string, ManifestEntry> | undefined;
  readonly entries: readonly ManifestEntry[];

  constructor(entries: readonly ManifestEntry[]) {
    this.entries = entries;
  }

  get(path: string): ManifestEntry | undefined {
    // Made at the first lookup: lists of files need no map, and making it takes longer than decoding the manifest.
    this.#byPath ??= new Map(this.entries.map((entry) => [toNfc(entry.path), entry]));
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

/** @throws Fault `store_corrupt` when the text is not a manifest of this version. */
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
 * Media types that are sent as gzip to clients that accept it. Others are not: browsers save some downloads still
 * compressed, and players that request ranges need the length of the file itself.
 */
const COMPRESSIBLE = new RegExp(
  [
    '^text/',
    '^application/(?:json5?|javascript|ecmascript|node|xml(?:-dtd)?|wasm)$',
    '^font/(?:ttf|otf|collection)$',
    '[+](?:json|xml)$',
  ].join('|'),
);

/** Whether files of a media type are sent as gzip if the archive has them deflated. */
export function isCompressibleType(mediaType: string): boolean {
  return COMPRESSIBLE.test(mediaType);
}
