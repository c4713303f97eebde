import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileDisk, type Disk } from './disk.ts';

/** How a server flushes, and the module that observes it. */
export interface Flushing {
  /** The module that observes flushes: the preloaded `disk.c`, or `flushed-commits.ts`, which needs no compiler. */
  readonly seenBy: 'disk.c' | 'flushed-commits.ts';
  readonly processes?: number;
  /** Whether the database flushes nothing. */
  readonly withoutFlush?: boolean;
  /** Whether the database has no thread that writes. */
  readonly withoutThread?: boolean;
}

const PRELOADED = join(
  import.meta.dirname,
  '..',
  '..',
  'packages',
  'persistence-sqlite',
  'test',
  'preloaded',
);
/** The duration of each flush, in microseconds. */
const DELAY = 4_000;
/** In a file system in memory flushes take only this time, and no inode number is used twice. */
const MEMORY = '/dev/shm';

/** Works in a folder for a disk, which is removed afterwards. */
export async function inDiskFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'pinfold-power-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The environment of a server on such a disk. */
export function diskSettings(folder: string, disk: Disk, how: Flushing): NodeJS.ProcessEnv {
  const { seenBy, processes = 1, withoutFlush = false, withoutThread = false } = how;
  const isPreloaded = seenBy === 'disk.c';
  const modules = [
    ...(withoutFlush ? ['without-flush.ts'] : []),
    ...(withoutThread ? ['without-thread.ts'] : []),
    isPreloaded ? 'frequent-checkpoints.ts' : 'flushed-commits.ts',
  ];
  return {
    DISK_OF: disk.data,
    DISK: disk.durable,
    DISK_DELAY: String(DELAY),
    PINFOLD_WORKERS: String(processes),
    NODE_OPTIONS: modules.map((name) => `--import=${join(PRELOADED, name)}`).join(' '),
    ...(isPreloaded ? { LD_PRELOAD: compileDisk(folder) } : {}),
  };
}
