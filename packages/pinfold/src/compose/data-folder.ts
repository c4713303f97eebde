import { access, constants, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from '@pinfold/core/internal';
import { SettingsError } from '../settings/settings-error.ts';

export interface Runner {
  /** The user's number; `undefined` where users have none, as on Windows. */
  readonly uid: number | undefined;
  access(path: string, mode: number): Promise<void>;
}

const ROOT = 0;

/**
 * Finds the data folder, or makes it; returns its absolute path. A command in the wrong place would make one that no
 * server knows, so it refuses a missing one.
 *
 * @throws SettingsError if the folder is missing, cannot be made or written, or is another user's and root runs this.
 */
export async function openDataFolder(
  dataDir: string,
  missing: 'made' | 'refused',
  runner: Runner = { uid: process.geteuid?.(), access },
): Promise<string> {
  const folder = resolve(dataDir);
  if (missing === 'made') await orRefused(folder, 'made', () => makeFolder(folder));
  const { uid: owner } = await orRefused(folder, 'found', () => stat(folder), SERVER_MAKES_IT);
  const asOwner = `; run this as the user it belongs to, with systemd: ${asUser(owner)}`;
  if (runner.uid === ROOT && owner !== ROOT) {
    throw new SettingsError(
      'dataDir',
      `names a folder that is not root's: ${JSON.stringify(folder)}${asOwner}`,
    );
  }
  // Asked now: each store would say it later in words of its own.
  const ask = (): Promise<void> => runner.access(folder, constants.W_OK | constants.X_OK);
  await orRefused(folder, 'written', ask, owner === runner.uid ? '' : asOwner);
  return folder;
}

/**
 * Refuses a folder that has other contents than a server's: a command would make a second installation among them. An
 * empty one is a data folder that is prepared before its server first starts; so is any if nothing is `held` in it.
 */
export async function refuseForeign(folder: string, held: string | undefined): Promise<void> {
  if (held === undefined) return;
  const found = await orRefused(folder, 'read', () => readdir(folder));
  if (found.length === 0 || found.includes(held)) return;
  const expectation = `names a folder without ${JSON.stringify(held)}: ${JSON.stringify(folder)}`;
  throw new SettingsError('dataDir', `${expectation}${SERVER_MAKES_IT}`);
}

const SERVER_MAKES_IT = '; name that of the server, which makes it when it first starts';

/** Keeps the secrets out of the list of processes. */
function asUser(owner: number): string {
  return `systemd-run --quiet --wait --pipe --uid=${owner} -p EnvironmentFile=/etc/pinfold.env pinfold …`;
}

async function orRefused<Result>(
  folder: string,
  what: string,
  task: () => Promise<Result>,
  advice: string = '',
): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const expectation = `names a folder that cannot be ${what}: ${JSON.stringify(folder)} (${code})${advice}`;
    throw new SettingsError('dataDir', expectation, { cause: error });
  }
}

/**
 * Makes a folder of mode 0700, and those above it, where they are missing. Folder by folder: Node's own way tries for
 * ever where a file system has no place for new ones, as in `/proc`, and says of a disk that is only read that the
 * folder is not there.
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
