import { randomUUID } from 'node:crypto';
import { type Dirent, existsSync } from 'node:fs';
import { link, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@pinfold/core/internal';
import { CommandFailure } from '../command-line/failures.ts';
import { makeFolder } from '../compose/data-folder.ts';
import { syncFolder } from '../saving/sync-folder.ts';
import { ARCHIVES, type ExportEnd, MANIFEST, type RecordsFile } from './export-form.ts';
import type { Destination } from './move.ts';
import { ToFolder, UNFINISHED } from './to-folder.ts';
import type { MovingArchive } from './whole-archive.ts';

/** The name of a generation: when its export was complete, in UTC. In the order of names, each comes after those before it. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;

/** The generation that is being written. An interrupted export continues in it. */
const INCOMING = 'incoming';

/** What a file system answers that cannot link: at all, a file so often, or from another one. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'];

/** A folder of exports, each in a folder of its own, that have the archives of several in common by hard links. */
export class Generations {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The folders of whole exports, oldest first. */
  async whole(): Promise<readonly string[]> {
    const found = await readdir(this.folder, { withFileTypes: true }).catch((): Dirent[] => []);
    const folders = found.filter(isGeneration).map(({ name }) => join(this.folder, name));
    return folders.filter((folder) => existsSync(join(folder, MANIFEST))).sort();
  }

  async newest(): Promise<string | undefined> {
    return (await this.whole()).at(-1);
  }

  /** Removes all but so many of the newest generations, and what an interrupted removal has left. */
  async removeOld(count: number): Promise<void> {
    const whole = await this.whole();
    for (const folder of whole.slice(0, -count)) {
      // Without its manifest it is no export, even if other files are left.
      await rm(join(folder, MANIFEST));
      await syncFolder(folder);
    }
    const staying = new Set(whole.slice(-count));
    for (const entry of await readdir(this.folder, { withFileTypes: true })) {
      const folder = join(this.folder, entry.name);
      if (isGeneration(entry) && !staying.has(folder)) await rm(folder, { recursive: true });
    }
  }
}

/** A symbolic link is none: what it leads to may be another's, and has no archive in common with the others. */
function isGeneration(entry: Dirent): boolean {
  return entry.isDirectory() && NAME.test(entry.name);
}

/** The export in a folder: the folder itself, or the newest whole generation in it. */
export async function exportIn(folder: string): Promise<string> {
  if (existsSync(join(folder, MANIFEST))) return folder;
  return (await new Generations(folder).newest()) ?? folder;
}

/** Writes one more generation: what the newest one has is linked, and not read again. */
export class ToGeneration implements Destination {
  readonly #generations: Generations;
  readonly #incoming: string;
  readonly #export: ToFolder;

  constructor(generations: Generations) {
    this.#generations = generations;
    this.#incoming = join(generations.folder, INCOMING);
    this.#export = new ToFolder(this.#incoming, { removing: 'at once' });
  }

  async begin(): Promise<void> {
    const { folder } = this.#generations;
    await makeFolder(folder);
    const found = await readdir(folder, { withFileTypes: true });
    const isIncoming = (entry: Dirent): boolean => entry.isDirectory() && entry.name === INCOMING;
    if (!found.every((entry) => isGeneration(entry) || isIncoming(entry))) {
      throw new CommandFailure(
        `${folder} holds other things than generations of exports; name an empty folder`,
      );
    }
    await makeFolder(this.#incoming);
    const newest = await this.#generations.newest();
    if (newest !== undefined) await linkAll(join(newest, ARCHIVES), join(this.#incoming, ARCHIVES));
    await this.#export.begin();
    await tryLink(join(this.#incoming, UNFINISHED));
  }

  records(lines: Uint8Array, file: RecordsFile): Promise<void> {
    return this.#export.records(lines, file);
  }

  has(id: MovingArchive['id']): boolean {
    return this.#export.has(id);
  }

  archive(archive: MovingArchive): Promise<void> {
    return this.#export.archive(archive);
  }

  async end(end: ExportEnd): Promise<void> {
    const { folder } = this.#generations;
    await this.#export.end(end);
    await rename(this.#incoming, join(folder, await nextName(folder)));
    await syncFolder(folder);
  }
}

/**
 * The name of a new generation: after those of all others. Two may end within a second, and a clock that was set back would
 * make the newest export the oldest one, which is removed first.
 */
async function nextName(folder: string): Promise<string> {
  const last = (await readdir(folder))
    .filter((name) => NAME.test(name))
    .sort()
    .at(-1);
  const now = nameAt(Date.now());
  if (last === undefined || last < now) return now;
  return nameAt(endedAt(last) + 1_000);
}

function nameAt(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

/** When a generation ended, by its name. */
function endedAt(name: string): number {
  return Date.parse(`${name.slice(0, 10)}T${name.slice(11, -1).replaceAll('-', ':')}Z`);
}

async function linkAll(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkAll(source, target);
    else if (entry.isFile()) await linkOne(source, target);
  }
}

/** The first generation has nothing to link: what the second one could not do is found out now. */
async function tryLink(folder: string): Promise<void> {
  const [source, target] = [join(folder, randomUUID()), join(folder, randomUUID())];
  await writeFile(source, '', { flag: 'wx', mode: 0o600 });
  await linkOne(source, target).finally(() => rm(source));
  await rm(target);
}

async function linkOne(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (cause) {
    const code = codeOf(cause);
    // An interrupted export has linked it.
    if (code === 'EEXIST') return;
    if (code === undefined || !NO_LINKS.includes(code)) throw cause;
    const message = `${target} cannot be a hard link (${code}), by which generations have archives in common: export without --generations there`;
    throw new CommandFailure(message, { cause });
  }
}
