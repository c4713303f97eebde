import { type Dirent, existsSync } from 'node:fs';
import { link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { codeOf } from '@pinfold/core/internal';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { makeFolder } from '../compose/data-folder.ts';
import { syncFolder } from '../saving/durable-files.ts';
import { listArchives } from './archives.ts';
import { archivePath, MANIFEST } from './export-form.ts';
import { fromFolder, openArchives, toFolder } from './folder.ts';
import { fromTar } from './tar.ts';
import type { Destination, Source } from './walk.ts';

/** The name of a generation is the UTC time at which its export was complete, so names sort by age. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;

/** Matches the time in a name, whose hyphens stand for colons. */
const TIME = /T(\d\d)-(\d\d)-/;

/** The generation that is being written. After an interruption the next export continues it. */
const INCOMING = 'incoming';

/** A folder of exports, each in a folder of its own. Hard links share archives between them. */
export class Generations {
  readonly #folder: string;
  readonly #incoming: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#incoming = join(folder, INCOMING);
  }

  /** The newest complete generation. */
  async newest(): Promise<string | undefined> {
    return (await this.#complete()).at(-1);
  }

  /** Begins a new generation. Archives of the newest one are linked instead of copied. */
  async begin(): Promise<Destination> {
    await makeFolder(this.#folder);
    const found = await readdir(this.#folder, { withFileTypes: true });
    const isIncoming = (entry: Dirent): boolean => entry.isDirectory() && entry.name === INCOMING;
    if (!found.every((entry) => isGeneration(entry) || isIncoming(entry))) {
      const message = `${this.#folder} contains other files than generations of exports; name an empty folder`;
      throw new CommandFailure(message, 'cannot_write');
    }
    const newest = await this.newest();
    if (newest !== undefined) await linkArchives(newest, this.#incoming);
    return toFolder(this.#incoming, true);
  }

  /**
   * Names the new generation after the current time, but later than all others: two exports may end in the same
   * second, and a clock that was set back would make the newest generation the oldest, which is removed first.
   */
  async finish(): Promise<void> {
    const last = (await this.#names()).at(-1);
    const now = formatName(Date.now());
    const name =
      last === undefined || last < now ? now : formatName(Date.parse(last.replace(TIME, 'T$1:$2:')) + 1_000);
    await rename(this.#incoming, join(this.#folder, name));
    await syncFolder(this.#folder);
  }

  /** Removes all generations but the newest `count`, and the rest of an interrupted removal. */
  async removeOld(count: number): Promise<void> {
    const remaining = (await this.#complete()).slice(-count);
    for (const name of await this.#names()) {
      const folder = join(this.#folder, name);
      if (remaining.includes(folder)) continue;
      // Without its manifest it does not count as an export, even if other files are left.
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

  /** The folders of complete exports, oldest first. */
  async #complete(): Promise<readonly string[]> {
    const folders = (await this.#names()).map((name) => join(this.#folder, name));
    return folders.filter((folder) => existsSync(join(folder, MANIFEST)));
  }
}

/** Links all archives of an export; the next one may need only some. An interrupted export may have linked others. */
async function linkArchives(from: string, to: string): Promise<void> {
  for await (const id of listArchives(openArchives(from))) {
    const file = join(to, archivePath(id));
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await link(join(from, archivePath(id)), file).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  }
}

/** Rejects symbolic links: their target may belong to someone else, and shares no archives by hard links. */
function isGeneration(entry: Dirent): boolean {
  return entry.isDirectory() && NAME.test(entry.name);
}

/**
 * Opens the export in a folder, or its newest generation, which it names, since last night's may be missing;
 * for `-`, the tar on standard input, which is read whole.
 */
export async function openExport(
  from: string,
  { err, stream }: Pick<Terminal, 'err' | 'stream'>,
  sample?: number,
): Promise<Source> {
  if (from === '-') {
    if (stream === undefined) throw new UsageError('there is no standard input');
    return fromTar(stream());
  }
  const folder = resolve(from);
  const newest = existsSync(join(folder, MANIFEST)) ? undefined : await new Generations(folder).newest();
  if (newest !== undefined) err(`newest generation: ${newest}`);
  return fromFolder(newest ?? folder, sample);
}

function formatName(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}
