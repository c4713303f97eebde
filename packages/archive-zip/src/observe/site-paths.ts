import { foldPath } from '@pinfold/core/adapter';

/** The files of a folder by their path in it: a name, or a folder and its `index.html`. */
export type FolderFiles = ReadonlyMap<string, string>;

type Folders = Map<string, Map<string, string>>;

const INDEX = 'index.html';

/**
 * The paths of a site's files by folder: many references from one folder need its path, however long, looked up once.
 *
 * @example
 * import { SitePaths } from '@pinfold/archive-zip/observe';
 *
 * const site = new SitePaths(['index.html', 'img/logo.png']);
 */
export class SitePaths {
  readonly #paths: readonly string[];
  #exact: Folders | undefined;
  #folded: Folders | undefined;

  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** @param path ends with `/`, or is empty for the root. */
  folder(path: string): FolderFiles | undefined {
    return this.#folders().get(path.normalize('NFC'));
  }

  /** The folder whose path differs in case at most; its files are by {@link foldPath} of their names. */
  foldedFolder(path: string): FolderFiles | undefined {
    this.#folded ??= foldFolders(this.#folders());
    return this.#folded.get(foldPath(path));
  }

  /** Made at the first lookup: many sites have no references. */
  #folders(): Folders {
    this.#exact ??= foldersOf(this.#paths);
    return this.#exact;
  }
}

function foldersOf(paths: readonly string[]): Folders {
  const folders: Folders = new Map();
  for (const path of paths) {
    const name = path.normalize('NFC');
    const end = name.lastIndexOf('/') + 1;
    place(folders, name.slice(0, end), name.slice(end), path);
  }
  return folders;
}

/** Folds the path of each folder once. */
function foldFolders(folders: Folders): Folders {
  const folded: Folders = new Map();
  for (const [folder, files] of folders) {
    const name = foldPath(folder);
    for (const [file, path] of files) if (!file.includes('/')) place(folded, name, foldPath(file), path);
  }
  return folded;
}

/** Adds a start page to the folder around its own, too. */
function place(folders: Folders, folder: string, name: string, path: string): void {
  add(folders, folder, name, path);
  if (name !== INDEX || folder === '') return;
  const own = folder.lastIndexOf('/', folder.length - 2) + 1;
  add(folders, folder.slice(0, own), folder.slice(own) + name, path);
}

function add(folders: Folders, folder: string, name: string, path: string): void {
  const files = folders.get(folder);
  if (files === undefined) folders.set(folder, new Map([[name, path]]));
  else files.set(name, path);
}
