import { lstat, readdir, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { defaultLimits } from '@pinfold/core';
import { openDataFolder, refuseForeign } from '../compose/data-folder.ts';
import { heldIn } from '../compose/storage.ts';
import type { Settings } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { type Check, type Finding, failed, ok, type Result, runChecks, skipped, warning } from './finding.ts';

const OTHERS = 0o007;
const OTHERS_WRITE = 0o002;
/** A folder of the file system itself. */
const LOST_AND_FOUND = 'lost+found';
const MAX_NAMED = 5;

/** NFS, SMB in three versions, 9P: SQLite's locks do not hold on them. */
const NETWORK_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x69_69, 0x51_7b, 0xff_53_4d_42, 0xfe_53_4d_42, 0x01_02_19_97,
]);

type FileSystem = Readonly<Record<'type' | 'bsize' | 'bavail' | 'ffree' | 'files', number>>;

export type Disk = (path: string) => Promise<FileSystem>;

/** Checks the data folder, and returns it; `undefined` if nothing else on this machine can be checked. */
export async function* folderFindings(
  settings: Settings,
  disk: Disk = (path) => statfs(path),
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
      name: 'folder.contents',
      expected: `everything in the folder belongs to ${currentUser()}, and others cannot read the secret`,
      run: () => checkContents(folder),
    },
    {
      name: 'room',
      expected: `the disk has room for uploads of up to ${MiB(largestArchive(settings))} each`,
      run: async () => judgeRoom(settings, await disk(folder)),
    },
    {
      name: 'folder.disk',
      expected: 'the folder is on a disk of this machine: SQLite cannot lock files reliably over a network',
      run: async () => {
        if (settings.database.kind !== 'sqlite') return undefined;
        return NETWORK_FILE_SYSTEMS.has((await disk(folder)).type)
          ? failed(
              'the folder is on a network file system',
              'put PINFOLD_DATA_DIR on a disk of this machine, or set PINFOLD_DATABASE_URL',
            )
          : ok('the folder is on a disk of this machine');
      },
    },
  ];
  return (yield* runChecks(checks)) ? folder : undefined;
}

async function checkFolder(settings: Settings, folder: string): Promise<Result> {
  try {
    await openDataFolder(settings.dataDir, 'refused');
    await refuseForeign(folder, heldIn(settings));
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

async function checkContents(folder: string): Promise<Result> {
  const uid = process.geteuid?.();
  if (uid === undefined) return skipped('this system has no numeric owners');
  const named: string[] = [];
  let foreign = 0;
  let secretMode = 0;
  for await (const { name, owner, mode } of entriesBelow(folder, uid)) {
    if (name === 'secret') secretMode = mode;
    if (owner === uid) continue;
    foreign += 1;
    if (foreign <= MAX_NAMED) named.push(`${name} of user ${owner}`);
  }
  if (foreign > 0) {
    const more = foreign > MAX_NAMED ? ` and ${foreign - MAX_NAMED} more` : '';
    return failed(`others own ${named.join(', ')}${more}`, `chown -R ${uid} ${folder}`);
  }
  if ((secretMode & 0o077) !== 0) {
    return failed(
      `others can read the secret that signs viewing grants: its mode is 0${secretMode.toString(8)}`,
      `chmod 0600 ${join(folder, 'secret')}; if someone may have read it, remove the file and restart`,
    );
  }
  return ok(`everything in the folder belongs to user ${uid}`);
}

interface Entry {
  readonly name: string;
  readonly owner: number;
  readonly mode: number;
}

/** Everything below a folder, except what is in folders of other users. */
async function* entriesBelow(folder: string, uid: number, above: string = ''): AsyncGenerator<Entry, void> {
  for (const name of (await readdir(join(folder, above))).sort()) {
    const path = join(above, name);
    if (path === LOST_AND_FOUND) continue;
    const found = await lstat(join(folder, path)).catch(ignoreRemoved);
    if (found === undefined) continue;
    yield { name: path, owner: found.uid, mode: found.mode & 0o777 };
    if (found.isDirectory() && found.uid === uid) yield* entriesBelow(folder, uid, path);
  }
}

/** A running server may remove a file at any time. */
function ignoreRemoved(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function largestArchive({ limits }: Settings): number {
  return limits.archiveBytes ?? defaultLimits.archiveBytes;
}

/** Uploads are received in the data folder, also if the archives are stored in S3. */
function judgeRoom(settings: Settings, { bsize, bavail, files, ffree }: FileSystem): Result {
  const largest = largestArchive(settings);
  const free = bsize * bavail;
  // Some file systems report no number of files.
  if (files > 0 && ffree === 0) {
    return failed('the disk takes no more files', 'remove files, or create a file system with more inodes');
  }
  const observed = `the disk has ${MiB(free)} free`;
  if (free < 2 * largest) {
    return failed(observed, 'free some space: without it, publishing is answered with 503');
  }
  const all = settings.uploads * largest;
  if (free >= all) return ok(observed);
  return warning(
    observed,
    `have ${MiB(all)}: PINFOLD_UPLOADS=${settings.uploads} uploads may need it at once`,
  );
}

function MiB(bytes: number): string {
  return `${Math.floor(bytes / 1_048_576)} MiB`;
}
