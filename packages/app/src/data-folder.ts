import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { SettingsError } from './settings/settings-error.ts';

/**
 * Makes the data folder, and those above it, where they are missing; gives its absolute path.
 *
 * @param ask whether something can be done with a file; rejects when it cannot.
 * @throws SettingsError when it cannot be made, or nothing can be written in it.
 */
export async function makeDataFolder(
  dataDir: string,
  ask: (path: string, mode: number) => Promise<void> = access,
): Promise<string> {
  const folder = resolve(dataDir);
  await orRefused(folder, 'made', () => makeFolder(folder));
  // Asked now: each store would say it later in words of its own.
  await orRefused(folder, 'written', () => ask(folder, constants.W_OK | constants.X_OK));
  return folder;
}

async function orRefused(folder: string, what: string, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const expectation = `names a folder that cannot be ${what}: ${JSON.stringify(folder)} (${code})`;
    throw new SettingsError('PINFOLD_DATA_DIR', expectation, { cause: error });
  }
}

/** Folder by folder: Node's own way tries for ever where a file system has no place for new ones, as in `/proc`. */
async function makeFolder(folder: string): Promise<void> {
  try {
    if ((await stat(folder)).isDirectory()) return;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await makeFolder(dirname(folder));
  }
  await makeOne(folder);
}

/** Another process may be starting at the same moment. */
async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
