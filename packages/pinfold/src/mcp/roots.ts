import { type BigIntStats, constants, existsSync, realpathSync } from 'node:fs';
import { open, readlink, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import paths, { basename, join, type PlatformPath, resolve } from 'node:path';
import { findBuildFolder } from '@pinfold/client/zip';
import { CommandFailure, explainSystemErrors, UsageError } from '../command-line/failures.ts';
import { isPage, type PackedPath, packFile, packPage, packWholeFolder } from '../publishing/pack.ts';

/** Far above every limit of a file: it keeps a file that was given by mistake from filling the memory. */
const MAX_BYTES = 536_870_912;
/** The last one is Node's, for a path with a null character. */
const NO_SUCH_PATH: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ERR_INVALID_ARG_VALUE']);

export class Roots {
  readonly #folders: readonly string[];

  /**
   * @param given the folders that the user names; without any, `current` is the only one, unless it is a drive's root or
   * contains the home folder.
   * @throws UsageError when one of them is no folder that can be read.
   */
  constructor(given: readonly string[], current: string, home: string = homedir()) {
    this.#folders = given.map((folder) => realFolder(resolve(current, folder)));
    if (given.length > 0) return;
    const here = realFolder(current);
    const homes = existsSync(home) ? [home, realpathSync(home)] : [home];
    if (!isTooWide(here, homes)) this.#folders = [here];
  }

  /** Packs a folder, a ZIP or a page. Every file is checked before it is opened, and compared afterwards. */
  async pack(given: string): Promise<PackedPath> {
    return explainSystemErrors(async () => {
      const { path, stats } = await this.#check(given);
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

  /** Reads a file only if the file that was opened is the one that lies in a root. */
  async #read(file: string): Promise<Uint8Array<ArrayBuffer>> {
    const { path, stats } = await this.#check(file);
    // Opening a pipe would wait for its writer.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const handle = await open(path, flags);
    try {
      const opened = await handle.stat({ bigint: true });
      // A folder above may have been replaced since the check. Linux tells where an open file lies.
      const place = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(path));
      if (!this.#holds(place) || !opened.isFile() || opened.ino !== stats.ino || opened.dev !== stats.dev) {
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

  /** Resolves symbolic links, and refuses what lies outside all roots. A relative path begins at the first root. */
  async #check(given: string): Promise<{ readonly path: string; readonly stats: BigIntStats }> {
    const [first] = this.#folders;
    if (first === undefined) {
      throw new CommandFailure(
        'no folder may be published from here: start "pinfold mcp" with --root FOLDER, or in the folder of a project',
        'usage',
      );
    }
    const asked = resolve(first, given);
    if (!this.#holds(asked)) throw this.#outside(given);
    const path = await realpath(asked).catch((error: NodeJS.ErrnoException) => {
      if (!NO_SUCH_PATH.has(error.code)) throw error;
      throw new CommandFailure(`there is no ${asked}`, { cause: error, code: 'not_found' });
    });
    if (!this.#holds(path)) throw this.#outside(given);
    return { path, stats: await stat(path, { bigint: true }) };
  }

  #holds(path: string): boolean {
    return this.#folders.some((folder) => contains(folder, path));
  }

  #outside(given: string): CommandFailure {
    const folders = this.#folders.join(', ');
    const detail = `${given} is not in a folder that may be published from (${folders}): the user can allow another one with --root`;
    return new CommandFailure(detail, 'usage');
  }
}

/**
 * Whether an agent would reach too much in a folder: a drive's root, the home folder, and every folder that contains it,
 * such as the one of all home folders.
 *
 * @param homes the paths of the home folder: as the system names it, and without symbolic links.
 */
export function isTooWide(folder: string, homes: readonly string[], platform: PlatformPath = paths): boolean {
  return folder === platform.parse(folder).root || homes.some((home) => contains(folder, home, platform));
}

function contains(folder: string, place: string, { relative, isAbsolute }: PlatformPath = paths): boolean {
  const way = relative(folder, place);
  return !isAbsolute(way) && way.split(/[\\/]/, 1)[0] !== '..';
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    throw new UsageError(`--root needs a folder: ${folder} cannot be read`, { cause: error });
  }
}
