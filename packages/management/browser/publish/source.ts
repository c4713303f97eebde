import { forbiddenSegment, isSystemEntry } from '@pinfold/core';
import type { Chosen } from './chosen.ts';

/** A file of a folder, under its path in the site to be. */
export interface FolderFile {
  readonly path: string;
  readonly file: File;
}

/** What there is to publish. */
export type Source =
  | { readonly kind: 'archive'; readonly name: string; readonly file: File }
  | {
      readonly kind: 'folder';
      readonly name: string;
      readonly files: readonly FolderFile[];
      /** What the rules forbid, each folder once: it is in no file above. */
      readonly forbidden: readonly string[];
    };

/** Looks at what was chosen; `undefined` when it is several things. */
export async function sourceOf(chosen: Chosen): Promise<Source | undefined> {
  if (chosen.kind === 'archive') return archive(chosen.files[0]);
  if (chosen.kind === 'files') return folderOf(chosen.files);
  const [entry, ...others] = 'entries' in chosen ? chosen.entries : [];
  if (entry === undefined || others.length > 0) return undefined;
  return isFolder(entry) ? await walkFolder(entry) : archive(await fileOf(entry as FileSystemFileEntry));
}

function archive(file: File | undefined): Source | undefined {
  return file === undefined ? undefined : { kind: 'archive', name: file.name, file };
}

/** A folder that was chosen comes as a flat list, with everything in it. */
function folderOf(files: readonly File[]): Source {
  const name = files[0]?.webkitRelativePath.split('/')[0] ?? '';
  const found = new Found();
  for (const file of files) found.add(file.webkitRelativePath.slice(name.length + 1), file);
  return found.source(name);
}

/** A folder that was dropped is walked, and what is forbidden is not even entered. */
async function walkFolder(root: FileSystemDirectoryEntry): Promise<Source> {
  const found = new Found();
  const walk = async (folder: FileSystemDirectoryEntry, prefix: string): Promise<void> => {
    for (const entry of await entriesOf(folder)) {
      const path = `${prefix}${entry.name}`;
      if (!isFolder(entry)) found.add(path, await fileOf(entry as FileSystemFileEntry));
      else if (forbiddenSegment(entry.name) !== undefined) found.forbid(`${path}/`);
      else await walk(entry, `${path}/`);
    }
  };
  await walk(root, '');
  return found.source(root.name);
}

/** Sorts files into what can be published and what cannot. */
class Found {
  readonly #files: FolderFile[] = [];
  readonly #forbidden: Set<string> = new Set();

  add(path: string, file: File): void {
    if (forbiddenSegment(path) !== undefined) this.forbid(path);
    else if (!isSystemEntry(path)) this.#files.push({ path, file });
  }

  /** Notes the outermost part of a path that is forbidden. */
  forbid(path: string): void {
    const segments = path.split('/');
    const at = segments.findIndex((segment) => forbiddenSegment(segment) !== undefined);
    const isLast = at === segments.length - 1;
    this.#forbidden.add(`${segments.slice(0, at + 1).join('/')}${isLast ? '' : '/'}`);
  }

  source(name: string): Source {
    const files = this.#files.sort((one, other) => (one.path < other.path ? -1 : 1));
    return { kind: 'folder', name, files, forbidden: [...this.#forbidden].sort() };
  }
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
