import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';

/**
 * The part of unflushed changes that is on the disk: nothing; the names in folders, but no content; or some of the
 * names and some pages of the database.
 */
export type Unflushed = 'gone' | 'named' | 'torn';

/** A disk that loses unflushed data: the flushed state of a data folder, as `disk.c` or `flushed-commits.ts` stores it. */
export interface Disk {
  /** The data folder. */
  readonly data: string;
  /** The data that survives it. */
  readonly durable: string;
}

/** The state of a disk at a moment. */
export interface Cut extends Disk {
  /** The data folder's inode. */
  readonly root: number;
  /** The content of the data folder, flushed or not. */
  readonly entries: readonly Entry[];
}

interface Entry {
  readonly name: string;
  readonly inode: number;
  /** Only of a folder. */
  readonly entries?: readonly Entry[] | undefined;
}

const PAGE = 4_096;
const DATABASE = ['pinfold.sqlite', 'pinfold.sqlite-wal'];

export function newDisk(folder: string): Disk {
  const [data, durable] = [join(folder, 'data'), join(folder, 'disk')];
  fs.mkdirSync(data, { recursive: true, mode: 0o700 });
  for (const kind of ['content', 'names', 'lost']) fs.mkdirSync(join(durable, kind), { recursive: true });
  return { data, durable };
}

export function hasCompiler(): boolean {
  return process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;
}

/** Compiles `disk.c` to a library that can be preloaded. */
export function compileDisk(folder: string): string {
  const library = join(folder, 'disk.so');
  const source = join(import.meta.dirname, 'disk.c');
  const { status, stderr } = spawnSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl']);
  if (status !== 0) throw new Error(`disk.c does not compile: ${stderr}`);
  return library;
}

/** Lets the given number of flushes of the log fail from now on. */
export function failFlushes({ durable }: Disk, count: number): void {
  fs.writeFileSync(join(durable, 'failing'), Buffer.alloc(count));
}

/** How many flushes of the log have failed. */
export function countFailed({ durable }: Disk): number {
  return lengthOf(join(durable, 'failed'));
}

/** How many flushes an event loop has waited for. */
export function countInLoops({ durable }: Disk): number {
  return lengthOf(join(durable, 'in-loop'));
}

function lengthOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Marks everything that exists as flushed. */
export function flushAll(disk: Disk, folder: string = disk.data): void {
  const entries = entriesOf(folder);
  const lines = entries.map(({ name, inode, entries: inner }) => `${inode} ${inner ? 'd' : 'f'} ${name}\n`);
  fs.writeFileSync(join(disk.durable, 'names', String(fs.statSync(folder).ino)), lines.join(''));
  for (const { name, inode, entries: inner } of entries) {
    const path = join(folder, name);
    if (inner !== undefined) flushAll(disk, path);
    else fs.copyFileSync(path, join(disk.durable, 'content', String(inode)));
  }
}

/** Copies the state of a disk to a new folder, while every process that uses it is stopped. */
export function cut({ data, durable }: Disk, into: string): Cut {
  for (const kind of ['content', 'names']) {
    fs.mkdirSync(join(into, kind), { recursive: true });
    // A stored file is replaced, never changed. One that is still being written has a longer name.
    for (const name of fs.readdirSync(join(durable, kind)).filter((file) => /^\d+$/.test(file)))
      fs.linkSync(join(durable, kind, name), join(into, kind, name));
  }
  fs.mkdirSync(join(into, 'written'));
  for (const path of DATABASE.map((name) => join(data, name)).filter((file) => fs.existsSync(file)))
    fs.copyFileSync(path, join(into, 'written', String(fs.statSync(path).ino)));
  return { data, durable: into, root: fs.statSync(data).ino, entries: entriesOf(data) };
}

/** Creates the data folder as it is after the power returns. */
export function rebuild(at: Cut, unflushed: Unflushed, into: string): void {
  fill(at.root, at.entries, into);

  function fill(inode: number, now: readonly Entry[], folder: string): void {
    fs.mkdirSync(folder, { mode: 0o700 });
    for (const [name, entry] of durableNames(inode, now)) {
      const path = join(folder, name);
      if (entry.entries === undefined) fs.writeFileSync(path, contentOf(entry.inode), { mode: 0o600 });
      else fill(entry.inode, entry.entries, path);
    }
  }

  function durableNames(inode: number, now: readonly Entry[]): ReadonlyMap<string, Entry> {
    const found = new Map<string, Entry>();
    for (const line of read('names', inode).toString().split('\n').filter(Boolean)) {
      const [, id, kind, name = ''] = /^(\d+) ([df]) (.*)$/.exec(line) ?? [];
      const inside = now.find((entry) => entry.inode === Number(id))?.entries ?? [];
      const isGone = unflushed === 'torn' && now.every((entry) => entry.name !== name) && isByChance();
      if (!isGone) found.set(name, { name, inode: Number(id), entries: kind === 'd' ? inside : undefined });
    }
    for (const entry of now)
      if (unflushed === 'named' || (unflushed === 'torn' && isByChance())) found.set(entry.name, entry);
    return found;
  }

  function contentOf(inode: number): Buffer {
    const flushed = read('content', inode);
    const written = unflushed === 'torn' ? read('written', inode) : Buffer.alloc(0);
    if (written.length === 0) return flushed;
    const mixed = Buffer.alloc(isByChance() ? Math.max(flushed.length, written.length) : written.length);
    flushed.copy(mixed);
    for (let from = 0; from < written.length; from += PAGE)
      if (isByChance()) written.copy(mixed, from, from, from + PAGE);
    return mixed;
  }

  function read(kind: string, inode: number): Buffer {
    const path = join(at.durable, kind, String(inode));
    return fs.existsSync(path) ? fs.readFileSync(path) : Buffer.alloc(0);
  }
}

function entriesOf(folder: string): readonly Entry[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.includes('-shm'))
    .map((entry) => {
      const path = join(folder, entry.name);
      const entries = entry.isDirectory() ? entriesOf(path) : undefined;
      return { name: entry.name, inode: fs.lstatSync(path).ino, entries };
    });
}

function isByChance(): boolean {
  return randomInt(2) === 0;
}
