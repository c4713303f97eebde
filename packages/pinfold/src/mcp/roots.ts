import { type BigIntStats, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { open, readlink, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import paths, { basename, join, type PlatformPath, resolve } from 'node:path';
import { findBuildFolder } from '@pinfold/client/zip';
import { CommandFailure, explainSystemErrors, UsageError } from '../command-line/failures.ts';
import { isPage, type PackedPath, packFile, packPage, packWholeFolder } from '../publishing/pack-path.ts';

/** Far above every limit, so that a file given by mistake does not fill the memory. */
const MAX_BYTES = 536_870_912;
/** Node throws the last one for a path with a null character. */
const NO_SUCH_PATH: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ERR_INVALID_ARG_VALUE']);

export class Roots {
  readonly #folders: readonly string[];

  /**
   * @param folders the folders that the user names. Without any, `current` is the only root, unless it is a drive's
   * root or contains the home folder.
   *
   * @throws UsageError if one of them is not a readable folder.
   */
  constructor(folders: readonly string[], current: string, home: string = homedir()) {
    // An empty variable of a shell would open the current folder, even if that is too broad.
    if (folders.includes('')) throw new UsageError('--root needs a folder: its value is empty');
    this.#folders = folders.map((folder) => realFolder(resolve(current, folder)));
    if (folders.length > 0) return;
    const currentFolder = realFolder(current);
    const homes = existsSync(home) ? [home, realpathSync(home)] : [home];
    if (!isTooBroad(currentFolder, homes)) this.#folders = [currentFolder];
  }

  /** Packs a folder, a ZIP or a page. Checks each file before it opens it, and compares it afterwards. */
  async pack(requested: string): Promise<PackedPath> {
    return explainSystemErrors(async () => {
      const { path, stats } = await this.#check(requested);
      if (stats.isDirectory()) return await this.#packFolder(path);
      if (isPage(path)) return packPage(path, await this.#read(path));
      return { ...(await packFile(basename(path), () => this.#read(path))), leftOut: [] };
    });
  }

  async #packFolder(path: string): Promise<PackedPath> {
    const built = findBuildFolder((file) => existsSync(join(path, file)));
    if (built !== undefined) {
      const detail = `${path} looks like the project of a site: publish the built site, ${join(path, built)}`;
      throw new CommandFailure(detail, 'looks_like_project');
    }
    return packWholeFolder(path, { read: (file) => this.#read(file) });
  }

  /** Reads a file only if the file that was opened is still the one in a root. */
  async #read(file: string): Promise<Uint8Array<ArrayBuffer>> {
    const { path, stats } = await this.#check(file);
    // Non-blocking, because opening a pipe would wait for its writer.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const handle = await open(path, flags);
    try {
      const opened = await handle.stat({ bigint: true });
      // A parent folder may have been replaced since the check. Linux knows the real path of an open file.
      const realPath = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(path));
      if (
        !this.#contains(realPath) ||
        !opened.isFile() ||
        opened.ino !== stats.ino ||
        opened.dev !== stats.dev
      ) {
        throw new CommandFailure(`${file} changed while it was opened: try again`, 'unreadable');
      }
      if (opened.size > MAX_BYTES) {
        throw new CommandFailure(`${file} has more than 512 MiB; is it the right one?`, 'archive_too_large');
      }
      return new Uint8Array(await handle.readFile());
    } finally {
      await handle.close();
    }
  }

  /** Resolves symbolic links, and refuses paths outside all roots. A relative path starts at the first root. */
  async #check(requested: string): Promise<{ readonly path: string; readonly stats: BigIntStats }> {
    const [first] = this.#folders;
    if (first === undefined) {
      throw new CommandFailure(
        'no folder may be published from here: start "pinfold mcp" with --root FOLDER, or in the folder of a project',
        'usage',
      );
    }
    const absolute = resolve(first, requested);
    if (!this.#contains(absolute)) throw this.#outsideError(requested);
    const path = await realpath(absolute).catch((error: NodeJS.ErrnoException) => {
      if (!NO_SUCH_PATH.has(error.code)) throw error;
      throw new CommandFailure(`there is no ${absolute}`, { cause: error, code: 'not_found' });
    });
    if (!this.#contains(path)) throw this.#outsideError(requested);
    return { path, stats: await stat(path, { bigint: true }) };
  }

  #contains(path: string): boolean {
    return this.#folders.some((folder) => contains(folder, path));
  }

  #outsideError(requested: string): CommandFailure {
    const folders = this.#folders.join(', ');
    const detail = `${requested} is not in a folder that may be published from (${folders}): the user can allow another one with --root`;
    return new CommandFailure(detail, 'usage');
  }
}

/**
 * Whether a folder contains too much for an agent: a drive's root, the home folder, or a folder that contains it.
 *
 * @param homes the path of the home folder as the system names it, and without symbolic links.
 */
export function isTooBroad(
  folder: string,
  homes: readonly string[],
  platform: PlatformPath = paths,
): boolean {
  return folder === platform.parse(folder).root || homes.some((home) => contains(folder, home, platform));
}

function contains(folder: string, path: string, { relative, isAbsolute }: PlatformPath = paths): boolean {
  const relativePath = relative(folder, path);
  return !isAbsolute(relativePath) && relativePath.split(/[\\/]/, 1)[0] !== '..';
}

function realFolder(folder: string): string {
  let isFolder: boolean;
  try {
    isFolder = statSync(folder).isDirectory();
  } catch (error) {
    throw new UsageError(`--root needs a folder: ${folder} cannot be read`, { cause: error });
  }
  if (!isFolder) throw new UsageError(`--root needs a folder: ${folder} is a file`);
  return realpathSync(folder);
}
