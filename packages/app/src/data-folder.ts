import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { SettingsError } from './settings/settings-error.ts';

/**
 * Makes the data folder, and those above it, where they are missing; gives its absolute path.
 *
 * @throws SettingsError when it cannot be made.
 */
export async function makeDataFolder(dataDir: string): Promise<string> {
  const folder = resolve(dataDir);
  try {
    await makeFolder(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw new SettingsError('PINFOLD_DATA_DIR', `names a folder that cannot be made (${code})`, {
      cause: error,
    });
  }
  return folder;
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
