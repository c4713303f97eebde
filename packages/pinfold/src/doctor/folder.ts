import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defaultLimits } from '@pinfold/core';
import { checkIsDataFolder, openDataFolder } from '../compose/data-folder.ts';
import { freeBytes } from '../health/dependency.ts';
import type { Settings } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { type Check, type Finding, failed, ok, type Result, runChecks, warning } from './finding.ts';

const OTHERS = 0o007;
const OTHERS_WRITE = 0o002;

/** Checks the data folder and returns it; `undefined` if the other checks of this machine cannot run. */
export async function* checkDataFolder(
  settings: Settings,
  readFreeBytes: (folder: string) => Promise<number> = freeBytes,
): AsyncGenerator<Finding, string | undefined> {
  const folder = resolve(settings.dataDir);
  const checks: readonly Check[] = [
    {
      name: 'folder',
      expected: `${folder} is the data folder, only its owner can use it, and ${currentUser()} can write in it`,
      run: () => checkFolder(settings, folder),
      isRequired: true,
    },
    {
      name: 'room',
      expected: `the disk has room for uploads of up to ${formatMiB(largestArchive(settings))} each`,
      run: async () => judgeRoom(settings, await readFreeBytes(folder)),
    },
  ];
  return (yield* runChecks(checks)) ? folder : undefined;
}

async function checkFolder(settings: Settings, folder: string): Promise<Result> {
  try {
    await openDataFolder(settings.dataDir, 'refused');
    await checkIsDataFolder(folder, settings, true);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const [observed = '', ...advice] = error.message.split('; ');
    return failed(
      observed,
      advice.join('; ') || `check that the folder exists and belongs to ${currentUser()}`,
    );
  }
  const { uid, mode } = await stat(folder);
  const bits = `0${(mode & 0o777).toString(8)}`;
  const advice = `chmod 0700 ${folder}: its files give access to every protected site`;
  if (process.platform === 'win32' || (mode & OTHERS) === 0) {
    return ok(`the folder belongs to user ${uid}, with mode ${bits}`);
  }
  return (mode & OTHERS_WRITE) === 0
    ? warning(`every user of this machine can enter the folder: its mode is ${bits}`, advice)
    : failed(`every user of this machine can write in the folder: its mode is ${bits}`, advice);
}

function currentUser(): string {
  const uid = process.geteuid?.();
  return uid === undefined ? 'this user' : `user ${uid}`;
}

function largestArchive({ limits }: Settings): number {
  return limits.archiveBytes ?? defaultLimits.archiveBytes;
}

/** Uploads are received in the data folder even if the archives are stored in S3. */
function judgeRoom(settings: Settings, free: number): Result {
  const largest = largestArchive(settings);
  const observed = `the disk has ${formatMiB(free)} free`;
  if (free < 2 * largest) {
    return failed(observed, 'free some space: without it, publishing answers 503');
  }
  const needed = settings.uploads * largest;
  if (free >= needed) return ok(observed);
  return warning(
    observed,
    `provide ${formatMiB(needed)}: PINFOLD_UPLOADS=${settings.uploads} uploads may need it at once`,
  );
}

function formatMiB(bytes: number): string {
  return `${Math.floor(bytes / 1_048_576)} MiB`;
}
