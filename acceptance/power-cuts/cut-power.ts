import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Cut,
  countFailed,
  countInLoops,
  cut,
  type Disk,
  failFlushes,
  flushAll,
  newDisk,
  rebuild,
  type Unflushed,
} from './disk.ts';
import { diskSettings, type Flushing, inDiskFolder } from './disk-settings.ts';
import { judge } from './judge.ts';
import { type Promises, publishUntil } from './publishers.ts';
import { startServer } from './server.ts';

/** How the power is cut. */
export interface PowerCuts extends Flushing {
  readonly cuts: number;
  readonly unflushed?: Unflushed;
  /** Whether flushes of the log fail: one to three before every fourth cut. */
  readonly failing?: boolean;
  /**
   * Whether the server is restarted at every fourth cut: after a kill, soon after a failed flush, if any; or after a
   * clean stop, with three failed flushes in a row.
   */
  readonly restarting?: 'killed' | 'ended';
}

/** The findings after the cuts. */
export interface Findings {
  /** The missing or damaged data after each cut that lost any. */
  readonly losses: readonly (readonly string[])[];
  readonly pins: number;
  readonly failedFlushes: number;
  /** The count of each status; 0 stands for no answer. */
  readonly answers: Promises['answers'];
}

const KEY = `pf_powercut_${'a'.repeat(43)}`;
const MAX_FAILURES = 3;
/** After this many answers in a row without a wait of the event loop, the threads are writing. */
const ANSWERS_BY_THREADS = 10;

/** Cuts the power of one server at many moments; the disk at each moment is checked afterwards. */
export function cutPower(how: PowerCuts): Promise<Findings> {
  return inDiskFolder((folder) => cutPowerIn(folder, how));
}

async function cutPowerIn(folder: string, how: PowerCuts): Promise<Findings> {
  const { cuts, unflushed = 'gone', failing = false, restarting } = how;
  const disk = newDisk(folder);
  const env = diskSettings(folder, disk, how);
  let server = await startServer(disk.data, KEY, env);
  if (how.seenBy === 'flushed-commits.ts') flushAll(disk);
  const promises: Promises = { pins: [], names: {}, answers: {} };
  const ended = new AbortController();
  // `flushed-commits.ts` sees a commit a moment after readers, and a repeated change is answered by reading.
  const repeats = how.seenBy === 'disk.c';
  const publishing = publishUntil(ended.signal, { url: () => server.url, key: KEY, repeats }, promises);
  const moments: { at: Cut; promises: Promises }[] = [];
  const cutNow = (n: number): void => {
    const at = cut(disk, join(folder, `cut-${n}`));
    moments.push({ at, promises: structuredClone(promises) });
  };
  try {
    await untilThreadsWrite(disk, promises);
    for (let n = 0; n < cuts; n += 1) {
      const isFourth = n % 4 === 1;
      if (failing && isFourth) {
        const count = restarting === 'ended' ? MAX_FAILURES : randomInt(1, MAX_FAILURES + 1);
        // A start tries three times to flush the log: after a kill, at most two further flushes may fail.
        const awaited = countFailed(disk) + (restarting === 'ended' ? MAX_FAILURES : 1);
        failFlushes(disk, count);
        while (countFailed(disk) < awaited) await pause(1);
      }
      if (isFourth && restarting === 'ended') {
        await server.end();
        cutNow(n);
        server = await startServer(disk.data, KEY, env);
        continue;
      }
      if (isFourth && restarting === 'killed') {
        await server.kill();
        server = await startServer(disk.data, KEY, env);
      }
      if (n === 0 || restarting !== undefined) await untilNextPublication(promises);
      await pause(randomInt(40, 200));
      await server.stop();
      cutNow(n);
      server.resume();
    }
  } finally {
    ended.abort();
    await server.kill();
    await publishing;
  }
  const losses: (readonly string[])[] = [];
  for (const { at, promises: made } of moments) {
    const data = `${at.durable}-after`;
    rebuild(at, unflushed, data);
    const lost = await judge(data, made);
    if (lost.length > 0) losses.push(lost);
    await rm(data, { recursive: true });
  }
  const { pins, answers } = promises;
  return { losses, pins: pins.length, failedFlushes: countFailed(disk), answers };
}

/** Resolves when the threads write, which start a moment after their process. */
async function untilThreadsWrite(disk: Disk, promises: Promises): Promise<void> {
  for (let remaining = ANSWERS_BY_THREADS; remaining > 0; ) {
    const before = countInLoops(disk);
    await untilNextPublication(promises);
    remaining = countInLoops(disk) === before ? remaining - 1 : ANSWERS_BY_THREADS;
  }
}

/** Resolves when a publication has been answered with 201. */
async function untilNextPublication({ answers }: Promises): Promise<void> {
  const before = answers[201] ?? 0;
  while ((answers[201] ?? 0) === before) await pause(10);
}
