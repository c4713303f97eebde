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

/** A folder, or files that were dropped together, without the files that are left out; or a single page. */
export interface FolderSource {
  readonly kind: 'folder';
  /** Whether a single page was chosen, without the files around it. */
  readonly isPage?: true;
  readonly name: string;
  readonly files: readonly FolderFile[];
  readonly leftOut: readonly string[];
  /** The paths of all files, even of those left out, except forbidden ones. Absent for a single page. */
  readonly allPaths?: () => Promise<readonly string[]>;
}

/** The name of a site made of files that were dropped without a folder. */
const UNNAMED = 'site';

export async function sourceOf(chosen: Chosen): Promise<Source | undefined> {
  if (chosen.kind === 'archive') return await sourceOfFile(chosen.files[0]);
  if (chosen.kind === 'files') return await folderOf(chosen.files);
  const [entry, ...others] = 'entries' in chosen ? chosen.entries : [];
  if (entry === undefined) return undefined;
  if (others.length > 0) return await sourceOfSeveral([entry, ...others]);
  if (isFolder(entry)) return await walk(await entriesOf(entry), entry.name);
  return await sourceOfFile(await fileOf(entry as FileSystemFileEntry));
}

/** Several dropped entries are one site if at least one is a file other than a ZIP; else each would be a site. */
async function sourceOfSeveral(entries: readonly FileSystemEntry[]): Promise<Source | undefined> {
  const isOneSite = entries.some((entry) => !isFolder(entry) && !/\.zip$/i.test(entry.name));
  return isOneSite ? await walk(entries, UNNAMED) : undefined;
}

/** If a folder's only problem is a missing index.html, finds the page at its root that can replace it. */
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

/** The title of the start page; `undefined` for a ZIP, which is not unpacked here. */
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

/** The ZIP without its forbidden entries; unchanged if `leaveOut` cannot copy it. */
export function withoutForbidden(source: ArchiveSource): ArchiveSource {
  const { file, directory, leftOut } = source;
  const rest = leftOut.length === 0 ? file : leaveOut(file, directory, isForbidden);
  return rest === undefined ? { ...source, leftOut: [] } : { ...source, file: rest };
}

/** Makes an HTML file the only page of a site; treats every other file as a ZIP, for the rules to judge. */
async function sourceOfFile(file: File | undefined): Promise<Source | undefined> {
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

/** Browsers give a chosen folder as a flat list of all files. */
async function folderOf(files: readonly File[]): Promise<Source> {
  const name = files[0]?.webkitRelativePath.split('/')[0] ?? '';
  const filter = new FolderFilter();
  const pathOf = (file: File): string => file.webkitRelativePath.slice(name.length + 1);
  for (const file of files) await filter.add(pathOf(file), file);
  return filter.source(name, async () => files.map(pathOf).filter((path) => !isForbidden(path)));
}

/** Walks dropped entries, but not the folders that are left out. */
async function walk(entries: readonly FileSystemEntry[], name: string): Promise<Source> {
  const filter = new FolderFilter();
  const enter = async (inside: readonly FileSystemEntry[], prefix: string): Promise<void> => {
    for (const entry of inside) {
      const path = `${prefix}${entry.name}`;
      if (!isFolder(entry)) await filter.add(path, await fileOf(entry as FileSystemFileEntry));
      else if (!filter.leaveOutPath(`${path}/`)) await enter(await entriesOf(entry), `${path}/`);
    }
  };
  await enter(entries, '');
  return filter.source(name, () => pathsIn(entries));
}

async function pathsIn(entries: readonly FileSystemEntry[], prefix = ''): Promise<readonly string[]> {
  const inside = entries.map(async (entry) => {
    const path = `${prefix}${entry.name}`;
    if (isForbidden(entry.name)) return [];
    return isFolder(entry) ? await pathsIn(await entriesOf(entry), `${path}/`) : [path];
  });
  return (await Promise.all(inside)).flat();
}

class FolderFilter {
  readonly #files: FolderFile[] = [];
  readonly #leftOut: Set<string> = new Set();

  async add(path: string, file: File): Promise<void> {
    const isSystem = isSystemEntry(path) || (mayBeAppleDouble(path) && (await beginsAsAppleDouble(file)));
    if (!isSystem && !this.leaveOutPath(path)) this.#files.push({ path, file });
  }

  /** Records a file, or a folder with `/` at its end, that is left out for its name; returns whether it is. */
  leaveOutPath(path: string): boolean {
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

/** The outermost forbidden part of each forbidden path, once; folders with `/` at their end. */
function outermostForbidden(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => forbiddenPart(path) ?? []))].sort();
}

/** Whether no site may have a path. Some Windows tools write `\\` between folders. */
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

/** Reads the entries of a folder: browsers return them in batches, the last one empty. */
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
