import { access, constants, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from '@pinfold/core/internal';
import type { Settings } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { checkHasArchives, dataFolderMark } from './stores.ts';

/** The user who runs this process. */
interface Runner {
  /** The id of the user; `undefined` on systems without one, such as Windows. */
  readonly uid: number | undefined;
  access(path: string, mode: number): Promise<void>;
}

const ROOT = 0;

/**
 * Opens the data folder, or creates it if `ifMissing` is `created`; returns its absolute path. A command must not create
 * it: in the wrong place it would make one that no server uses.
 *
 * @throws SettingsError if the folder is missing, cannot be created or written, or belongs to another user while root
 * runs this.
 */
export async function openDataFolder(
  dataDir: string,
  ifMissing: 'created' | 'refused',
  runner: Runner = { uid: process.geteuid?.(), access },
): Promise<string> {
  const folder = resolve(dataDir);
  if (ifMissing === 'created') await explainError(folder, 'created', () => makeFolder(folder));
  const { uid: owner } = await explainError(folder, 'found', () => stat(folder), SERVER_MAKES_IT);
  const ownerAdvice = `; run this as its owner, with systemd: ${commandAs(owner)}`;
  if (runner.uid === ROOT && owner !== ROOT) {
    throw new SettingsError(
      'dataDir',
      `names a folder that is not root's: ${JSON.stringify(folder)}${ownerAdvice}`,
    );
  }
  // Checked now, because each store would report it later in its own words.
  const checkAccess = (): Promise<void> => runner.access(folder, constants.W_OK | constants.X_OK);
  await explainError(folder, 'written', checkAccess, owner === runner.uid ? '' : ownerAdvice);
  return folder;
}

/**
 * Throws for a folder with other contents than a server's, so that a command does not start a second installation
 * there. Accepts an empty folder, which may be prepared for a first start, and any folder if all data is elsewhere.
 */
export async function checkIsDataFolder(
  folder: string,
  settings: Settings,
  needsArchives: boolean,
): Promise<void> {
  const mark = dataFolderMark(settings);
  if (mark === undefined) return;
  const found = await explainError(folder, 'read', () => readdir(folder));
  if (found.length === 0) return;
  if (found.includes(mark)) return needsArchives ? checkHasArchives(settings.storage, folder) : undefined;
  const expectation = `names a folder without ${JSON.stringify(mark)}: ${JSON.stringify(folder)}`;
  throw new SettingsError('dataDir', `${expectation}${SERVER_MAKES_IT}`);
}

const SERVER_MAKES_IT = '; name the folder of the server, which creates it when it first starts';

/** Formats a command that reads the settings from a file, so that the list of processes does not show the secrets. */
function commandAs(owner: number): string {
  return `systemd-run --quiet --wait --pipe --uid=${owner} -p EnvironmentFile=/etc/pinfold.env pinfold …`;
}

async function explainError<Result>(
  folder: string,
  action: string,
  task: () => Promise<Result>,
  advice: string = '',
): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const expectation = `names a folder that cannot be ${action}: ${JSON.stringify(folder)} (${code})${advice}`;
    throw new SettingsError('dataDir', expectation, { cause: error });
  }
}

/**
 * Creates a folder of mode 0700 and its missing parents, one at a time. Node's own recursive way loops for ever on
 * file systems that accept no new folders, such as `/proc`, and reports a read-only disk as a missing folder.
 */
export async function makeFolder(folder: string): Promise<void> {
  const isFolder = async (): Promise<boolean> => (await stat(folder)).isDirectory();
  try {
    if (await isFolder()) return;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await makeFolder(dirname(folder));
  }
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !(await isFolder())) throw error;
  }
}
