import type { DirectoryListing } from '@pinfold/archive-zip/listing';
import { excludedPart, findBuildFolder, titleOf } from '@pinfold/client/zip';
import {
  APPLE_DOUBLE_BYTES,
  forbiddenSegment,
  isAppleDouble,
  isSystemEntry,
  isToolFile,
  mayBeAppleDouble,
} from '@pinfold/core/internal';
import type { PublishProblem } from '@pinfold/http/internal/texts';
import type { Chosen } from '../publish-panel.ts';
import { directoryOf } from './judge.ts';
import { leaveOut } from './leave-out.ts';

export interface FolderFile {
  readonly path: string;
  readonly file: File;
}

export type Source = ArchiveSource | FolderSource;

export interface ArchiveSource {
  readonly kind: 'archive';
  readonly name: string;
  readonly file: Blob;
  readonly directory: DirectoryListing;
  readonly leftOut: readonly string[];
}

/** A folder, or files that were dropped together, without what is left out; or a single page. */
export interface FolderSource {
  readonly kind: 'folder';
  /** Whether one page was chosen without the files around it. */
  readonly isPage?: true;
  readonly name: string;
  readonly files: readonly FolderFile[];
  readonly leftOut: readonly string[];
  /** The paths of all its files, also of those that are left out, but for what may be in no site; a page has no more. */
  readonly allPaths?: () => Promise<readonly string[]>;
}

/** The name of a site of files that were dropped without a folder. */
const UNNAMED = 'site';

export async function sourceOf(chosen: Chosen): Promise<Source | undefined> {
  if (chosen.kind === 'archive') return await single(chosen.files[0]);
  if (chosen.kind === 'files') return await folderOf(chosen.files);
  const [entry, ...others] = 'entries' in chosen ? chosen.entries : [];
  if (entry === undefined) return undefined;
  if (others.length > 0) return await together([entry, ...others]);
  if (isFolder(entry)) return await walk(await entriesOf(entry), entry.name);
  return await single(await fileOf(entry as FileSystemFileEntry));
}

/** Files that were dropped together, with folders beside them, are one site; several folders or ZIPs are several. */
async function together(entries: readonly FileSystemEntry[]): Promise<Source | undefined> {
  const isOneSite = entries.some((entry) => !isFolder(entry) && !/\.zip$/i.test(entry.name));
  return isOneSite ? await walk(entries, UNNAMED) : undefined;
}

/** The page at the root that can be the start page of a folder whose only problem is that it has no index.html. */
export function startPageIn(problems: readonly PublishProblem[]): string | undefined {
  const [only, ...others] = problems;
  if (only?.rule !== 'missing_index' || others.length > 0) return undefined;
  const { hint } = only;
  const isPage = hint?.kind === 'spelling' || hint?.kind === 'page';
  return isPage && !hint.path.includes('/') ? hint.path : undefined;
}

export function withStartPage(source: FolderSource, page: string): FolderSource {
  const files = source.files.map((found) => (found.path === page ? { ...found, path: 'index.html' } : found));
  return { ...source, files };
}

/** The title of the start page; only of a folder, as a ZIP is not unpacked here. */
export async function titleIn(source: Source): Promise<string | undefined> {
  if (source.kind === 'archive') return undefined;
  const page = source.files.find(({ path }) => path === 'index.html');
  return page && titleOf(new Uint8Array(await page.file.arrayBuffer()));
}

export function builtSiteIn(
  source: Source,
): { readonly folder: string; readonly site: FolderSource } | undefined {
  if (source.kind === 'archive') return undefined;
  const paths = new Set(source.files.map(({ path }) => path));
  const folder = findBuildFolder((path) => paths.has(path));
  if (folder === undefined) return undefined;
  const start = `${folder}/`;
  const files = source.files
    .filter(({ path }) => path.startsWith(start))
    .map(({ path, file }) => ({ path: path.slice(start.length), file }));
  const leftOut = source.leftOut.filter((path) => path.startsWith(start));
  const site = { ...source, files, leftOut: leftOut.map((path) => path.slice(start.length)) };
  return { folder, site };
}

/** The ZIP without what is forbidden in it; as it is where that cannot be taken out here. */
export function withoutForbidden(source: ArchiveSource): ArchiveSource {
  const { file, directory, leftOut } = source;
  const rest = leftOut.length === 0 ? file : leaveOut(file, directory, isForbidden);
  return rest === undefined ? { ...source, leftOut: [] } : { ...source, file: rest };
}

/** A page is the only one of a site; every other file is taken for a ZIP, which the rules judge. */
async function single(file: File | undefined): Promise<Source | undefined> {
  if (file === undefined) return undefined;
  const [extension = ''] = /\.html?$/i.exec(file.name) ?? [];
  if (extension === '') return await archive(file);
  const name = file.name.slice(0, -extension.length);
  return { kind: 'folder', isPage: true, name, files: [{ path: 'index.html', file }], leftOut: [] };
}

async function archive(file: File): Promise<ArchiveSource> {
  const directory = await directoryOf(file);
  const names = directory.entries.map(({ name }) => name);
  return { kind: 'archive', name: file.name, file, directory, leftOut: outermostForbidden(names) };
}

/** A folder that was chosen comes as a flat list, with everything in it. */
async function folderOf(files: readonly File[]): Promise<Source> {
  const name = files[0]?.webkitRelativePath.split('/')[0] ?? '';
  const found = new Found();
  const pathOf = (file: File): string => file.webkitRelativePath.slice(name.length + 1);
  for (const file of files) await found.add(pathOf(file), file);
  return found.source(name, async () => files.map(pathOf).filter((path) => !isForbidden(path)));
}

/** Walks what was dropped, and enters no folder that is left out. */
async function walk(entries: readonly FileSystemEntry[], name: string): Promise<Source> {
  const found = new Found();
  const enter = async (inside: readonly FileSystemEntry[], prefix: string): Promise<void> => {
    for (const entry of inside) {
      const path = `${prefix}${entry.name}`;
      if (!isFolder(entry)) await found.add(path, await fileOf(entry as FileSystemFileEntry));
      else if (!found.leavesOut(`${path}/`)) await enter(await entriesOf(entry), `${path}/`);
    }
  };
  await enter(entries, '');
  return found.source(name, () => pathsIn(entries));
}

async function pathsIn(entries: readonly FileSystemEntry[], prefix = ''): Promise<readonly string[]> {
  const inside = entries.map(async (entry) => {
    const path = `${prefix}${entry.name}`;
    if (isForbidden(entry.name)) return [];
    return isFolder(entry) ? await pathsIn(await entriesOf(entry), `${path}/`) : [path];
  });
  return (await Promise.all(inside)).flat();
}

class Found {
  readonly #files: FolderFile[] = [];
  readonly #leftOut: Set<string> = new Set();

  async add(path: string, file: File): Promise<void> {
    const isSystem = isSystemEntry(path) || (mayBeAppleDouble(path) && (await beginsAsAppleDouble(file)));
    if (!isSystem && !this.leavesOut(path)) this.#files.push({ path, file });
  }

  /** Whether a file, or a folder with `/` at its end, is left out for its name; then it is noted. */
  leavesOut(path: string): boolean {
    const part = excludedPart(path);
    if (part !== undefined && !isToolFile(part)) this.#leftOut.add(part);
    return part !== undefined;
  }

  source(name: string, allPaths: () => Promise<readonly string[]>): FolderSource {
    const files = this.#files.sort((one, other) => (one.path < other.path ? -1 : 1));
    return { kind: 'folder', name, files, leftOut: [...this.#leftOut].sort(), allPaths };
  }
}

async function beginsAsAppleDouble(file: File): Promise<boolean> {
  return isAppleDouble(new Uint8Array(await file.slice(0, APPLE_DOUBLE_BYTES).arrayBuffer()));
}

/** Paths that may be in no site, each by its outermost forbidden part: a folder once, with `/` at its end. */
function outermostForbidden(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => forbiddenPart(path) ?? []))].sort();
}

/** Whether a path may be in no site. Some tools of Windows write `\\` between folders. */
export function isForbidden(path: string): boolean {
  return forbiddenSegment(path.replaceAll('\\', '/')) !== undefined;
}

function forbiddenPart(path: string): string | undefined {
  const segments = path.replaceAll('\\', '/').split('/');
  const at = segments.findIndex((segment) => forbiddenSegment(segment) !== undefined);
  if (at === -1) return undefined;
  return `${segments.slice(0, at + 1).join('/')}${at === segments.length - 1 ? '' : '/'}`;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });
}

/** A reader gives the entries of a folder in batches, and an empty one at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (batch.length === 0) return all;
    all.push(...batch);
  }
}
