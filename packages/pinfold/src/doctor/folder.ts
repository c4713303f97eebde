import { lstat, readdir, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { defaultLimits } from '@pinfold/core';
import { openDataFolder, refuseForeign } from '../compose/data-folder.ts';
import { heldIn } from '../compose/storage.ts';
import type { Settings } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { type Finding, type Trying, trying } from './finding.ts';

/** The bits of a mode that let others than the owner's group do anything. */
const OTHERS = 0o007;
const OTHERS_WRITE = 0o002;
/** What a file system keeps at the top of a volume. */
const OF_THE_VOLUME = 'lost+found';
/** As many of the entries that are wrong are named. */
const MOST_NAMED = 5;

/** File systems of other machines, on which SQLite's locks do not hold: NFS, SMB in three versions, 9P. */
const OF_THE_NETWORK: ReadonlySet<number> = new Set([
  0x69_69, 0x51_7b, 0xff_53_4d_42, 0xfe_53_4d_42, 0x01_02_19_97,
]);

/** What a disk says of itself. */
export type Disk = (path: string) => Promise<{
  readonly type: number;
  readonly bsize: number;
  readonly bavail: number;
  readonly ffree: number;
  readonly files: number;
}>;

/** Looks at the data folder. Nothing else on this machine can be tried unless the first check is well. */
export async function* folderFindings(
  settings: Settings,
  disk: Disk = (path) => statfs(path),
): AsyncGenerator<Finding, string | undefined> {
  const folder = resolve(settings.dataDir);
  const entering = trying('folder', `find ${folder}, and write in it as ${whoRuns()}`);
  try {
    await openDataFolder(settings.dataDir, 'refused');
    const held = heldIn(settings);
    if (held !== undefined) await refuseForeign(folder, held);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const [came = '', ...advice] = error.message.split('; ');
    yield entering.failed(
      came,
      advice.join('; ') || `see that the folder is there and belongs to ${whoRuns()}`,
    );
    return undefined;
  }
  const { uid, mode } = await stat(folder);
  yield modeFinding(entering, folder, uid, mode & 0o777);
  yield await contentsFinding(folder);
  yield await roomFinding(settings, folder, disk);
  if (settings.database.kind === 'sqlite') yield await localFinding(folder, disk);
  return folder;
}

function modeFinding(entering: Trying, folder: string, owner: number, mode: number): Finding {
  const bits = `0${mode.toString(8)}`;
  const advice = `chmod 0700 ${folder}: whoever reads what is in it can see every protected site`;
  if (process.platform !== 'win32' && (mode & OTHERS_WRITE) !== 0) {
    return entering.failed(`every user of this machine may write in it: its mode is ${bits}`, advice);
  }
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
    return entering.warning(`every user of this machine may enter it: its mode is ${bits}`, advice);
  }
  return entering.ok(`it belongs to user ${owner}, with mode ${bits}`);
}

function whoRuns(): string {
  const uid = process.geteuid?.();
  return uid === undefined ? 'this user' : `user ${uid}`;
}

async function contentsFinding(folder: string): Promise<Finding> {
  const looking = trying('folder.contents', 'compare the owners of what is in the folder with who runs this');
  const uid = process.geteuid?.();
  if (uid === undefined) return looking.skipped('this system has no owners of that kind');
  const named: string[] = [];
  let foreign = 0;
  let modeOfSecret = 0;
  for await (const { name, owner, mode } of entriesBelow(folder, uid)) {
    if (name === 'secret') modeOfSecret = mode;
    if (owner === uid) continue;
    foreign += 1;
    if (foreign <= MOST_NAMED) named.push(`${name} of user ${owner}`);
  }
  if (foreign > 0) {
    const more = foreign > MOST_NAMED ? ` and ${foreign - MOST_NAMED} more` : '';
    return looking.failed(`others own ${named.join(', ')}${more}`, `chown -R ${uid} ${folder}`);
  }
  if ((modeOfSecret & 0o077) !== 0) {
    return looking.failed(
      `the secret that signs viewing grants can be read by others: its mode is 0${modeOfSecret.toString(8)}`,
      `chmod 0600 ${join(folder, 'secret')}; if somebody may have read it, remove the file and restart`,
    );
  }
  return looking.ok(`all of it is of user ${uid}`);
}

interface Entry {
  /** Its path in the folder. */
  readonly name: string;
  readonly owner: number;
  readonly mode: number;
}

/** All that is in a folder and below, but for what is in folders of others. */
async function* entriesBelow(folder: string, uid: number, above: string = ''): AsyncGenerator<Entry, void> {
  for (const name of (await readdir(join(folder, above))).sort()) {
    const path = join(above, name);
    if (path === OF_THE_VOLUME) continue;
    const found = await lstat(join(folder, path)).catch(passOverRemoved);
    if (found === undefined) continue;
    yield { name: path, owner: found.uid, mode: found.mode & 0o777 };
    if (found.isDirectory() && found.uid === uid) yield* entriesBelow(folder, uid, path);
  }
}

/** The server may remove a file meanwhile. */
function passOverRemoved(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Uploads lie there until they are stored, whatever the storage is. */
async function roomFinding({ archives, uploads }: Settings, folder: string, disk: Disk): Promise<Finding> {
  const largest = archives.archiveBytes ?? defaultLimits.archiveBytes;
  const looking = trying(
    'room',
    `ask for the free room of the disk, for uploads of up to ${MiB(largest)} each`,
  );
  const { bsize, bavail, files, ffree } = await disk(folder);
  const free = bsize * bavail;
  // Some file systems count no files.
  if (files > 0 && ffree === 0) {
    return looking.failed(
      'the disk takes no more files',
      'remove files, or make a file system with more inodes',
    );
  }
  const came = `${MiB(free)} are free`;
  if (free < 2 * largest)
    return looking.failed(came, 'make room: publishing is answered with 503 without it');
  if (free < uploads * largest) {
    const all = MiB(uploads * largest);
    return looking.warning(came, `have ${all}, which PINFOLD_UPLOADS=${uploads} may take at the same time`);
  }
  return looking.ok(came);
}

async function localFinding(folder: string, disk: Disk): Promise<Finding> {
  const looking = trying(
    'folder.disk',
    'ask for the kind of the file system, which SQLite must be able to lock',
  );
  const { type } = await disk(folder);
  return OF_THE_NETWORK.has(type)
    ? looking.failed(
        'it is one of the network',
        'put PINFOLD_DATA_DIR on a disk of this machine, or set PINFOLD_DATABASE_URL',
      )
    : looking.ok('it is one of this machine');
}

function MiB(bytes: number): string {
  return `${Math.floor(bytes / 1_048_576)} MiB`;
}
