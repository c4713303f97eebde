import { type Dirent, existsSync } from 'node:fs';
import { link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf } from '@pinfold/core/internal';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { makeFolder } from '../compose/data-folder.ts';
import { syncFolder } from '../saving/sync-folder.ts';
import { ARCHIVES, MANIFEST } from './export-form.ts';
import { fromFolder, fromTar } from './from-export.ts';
import { ToFolder } from './to-folder.ts';
import type { Source } from './walk.ts';

/** The name of a generation: when its export was complete, in UTC. In the order of names, each comes after those before it. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;

/** What of a name an instant has with colons. */
const TIME = /T(\d\d)-(\d\d)-/;

/** The generation that is being written. An interrupted export continues in it. */
const INCOMING = 'incoming';

/** A folder of exports, each in a folder of its own, that have the archives of several in common by hard links. */
export class Generations {
  readonly #folder: string;
  readonly #incoming: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#incoming = join(folder, INCOMING);
  }

  /** The newest whole one. */
  async newest(): Promise<string | undefined> {
    return (await this.#whole()).at(-1);
  }

  /** Begins one more: what the newest one has is linked, and not read again. */
  async begin(): Promise<ToFolder> {
    await makeFolder(this.#folder);
    const found = await readdir(this.#folder, { withFileTypes: true });
    const isIncoming = (entry: Dirent): boolean => entry.isDirectory() && entry.name === INCOMING;
    if (!found.every((entry) => isGeneration(entry) || isIncoming(entry))) {
      const message = `${this.#folder} holds other things than generations of exports; name an empty folder`;
      throw new CommandFailure(message, 'cannot_write');
    }
    const newest = await this.newest();
    return new ToFolder(this.#incoming, async () => {
      if (newest !== undefined) await linkAll(join(newest, ARCHIVES), join(this.#incoming, ARCHIVES));
    });
  }

  /**
   * Names the new one after its end, and after all others: two may end within a second, and a clock that was set back would
   * make the newest export the oldest one, which is removed first.
   */
  async finish(): Promise<void> {
    const last = (await this.#names()).at(-1);
    const now = nameAt(Date.now());
    const name =
      last === undefined || last < now ? now : nameAt(Date.parse(last.replace(TIME, 'T$1:$2:')) + 1_000);
    await rename(this.#incoming, join(this.#folder, name));
    await syncFolder(this.#folder);
  }

  /** Removes all but so many of the newest generations, and what an interrupted removal has left. */
  async removeOld(count: number): Promise<void> {
    const staying = (await this.#whole()).slice(-count);
    for (const name of await this.#names()) {
      const folder = join(this.#folder, name);
      if (staying.includes(folder)) continue;
      // Without its manifest it is no export, even if other files are left.
      await rm(join(folder, MANIFEST), { force: true });
      await syncFolder(folder);
      await rm(folder, { recursive: true });
    }
  }

  /** Oldest first. */
  async #names(): Promise<readonly string[]> {
    const found = await readdir(this.#folder, { withFileTypes: true }).catch((): Dirent[] => []);
    return found
      .filter(isGeneration)
      .map(({ name }) => name)
      .sort();
  }

  /** The folders of whole exports, oldest first. */
  async #whole(): Promise<readonly string[]> {
    const folders = (await this.#names()).map((name) => join(this.#folder, name));
    return folders.filter((folder) => existsSync(join(folder, MANIFEST)));
  }
}

/** A symbolic link is none: what it leads to may be another's, and has no archive in common with the others. */
function isGeneration(entry: Dirent): boolean {
  return entry.isDirectory() && NAME.test(entry.name);
}

/** The export in a folder, or in the newest generation there, or for `-` that of a tar on standard input. */
export async function openExport(from: string, { stream }: Pick<Terminal, 'stream'>): Promise<Source> {
  if (from === '-') {
    if (stream === undefined) throw new UsageError('there is no standard input');
    return fromTar(stream());
  }
  const folder = resolve(from);
  const isExport = existsSync(join(folder, MANIFEST));
  return fromFolder((isExport ? undefined : await new Generations(folder).newest()) ?? folder);
}

function nameAt(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

async function linkAll(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkAll(source, target);
    else if (entry.isFile()) await linkOne(source, target);
  }
}

/** An interrupted export may have linked it. */
async function linkOne(source: string, target: string): Promise<void> {
  await link(source, target).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}
