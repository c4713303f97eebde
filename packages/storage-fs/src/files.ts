import * as fs from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Fault } from '@pinfold/core';
import { systemCodeOf } from '@pinfold/core/internal';

/** The file system functions that this package uses; tests replace them with failing ones. */
export type Files = Readonly<
  Pick<typeof fs, 'mkdir' | 'open' | 'opendir' | 'readdir' | 'rename' | 'rm' | 'rmdir' | 'stat' | 'unlink'>
>;

export const nodeFiles: Files = fs;

/** Runs a task; converts errors of the system to the fault, and throws others unchanged. */
export async function orFault<Result>(
  code: 'staging_unavailable' | 'storage_unavailable',
  task: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    // First, since the reason of an abort may itself be an error of the system.
    signal?.throwIfAborted();
    if (systemCodeOf(error) === undefined) throw error;
    throw new Fault(code, `the system refused: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns the result, or `undefined` if the system refused with one of the codes. */
export async function unlessRefused<Result>(
  codes: readonly unknown[],
  task: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await task;
  } catch (error) {
    if (codes.includes(systemCodeOf(error))) return undefined;
    throw error;
  }
}

/** Flushes the entries of a folder, so that they survive a power cut. */
export async function syncFolder(files: Files, folder: string): Promise<void> {
  // Windows cannot flush a folder; its journal preserves the entries.
  if (process.platform !== 'win32') await syncPath(files, folder, 'r');
}

/** Flushes a file, or the entries of a folder. */
export async function syncPath(files: Files, path: string, flags: 'r' | 'r+'): Promise<void> {
  await syncAndClose(await files.open(path, flags));
}

export async function syncAndClose(handle: fs.FileHandle): Promise<void> {
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a folder and its parents durably, accessible to their owner only. Returns its absolute path. */
export async function makeFolder(files: Files, folder: string): Promise<string> {
  const whole = resolve(folder);
  const first = await files.mkdir(whole, { recursive: true, mode: 0o700 });
  if (first === undefined) return whole;
  for (let made = whole; made.length >= first.length; made = dirname(made)) {
    await syncFolder(files, dirname(made));
  }
  return whole;
}

/**
 * Creates a function that flushes the entries of a folder, and resolves after a flush that began after the call. Calls
 * during a flush of their folder share the next one.
 */
export function createFolderFlush(files: Files): (folder: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();
  const start = (folder: string): Promise<void> => {
    const begun = syncFolder(files, folder).finally(() => running.delete(folder));
    running.set(folder, begun);
    return begun;
  };
  return (folder) => {
    const shared = next.get(folder);
    if (shared !== undefined) return shared;
    const before = running.get(folder);
    if (before === undefined) return start(folder);
    const waiting = before
      // If the running flush fails, so do the waiting calls: the system may not report the same failure again.
      .finally(() => next.delete(folder))
      .then(() => start(folder));
    next.set(folder, waiting);
    return waiting;
  };
}

/** One block: on a full disk, an empty file can still be created. */
const BLOCK = 4_096;
/** The disk, or the user's quota, is full. */
const FULL = ['ENOSPC', 'EDQUOT'];

/** Writes a small new file, to check that it is possible. Leaves no file if it fails. */
export async function writeProbe(files: Files, file: string): Promise<void> {
  const handle = await files.open(file, 'wx', 0o600);
  try {
    try {
      await handle.write(new Uint8Array(BLOCK));
    } finally {
      await handle.close();
    }
  } catch (error) {
    await files.rm(file, { force: true });
    throw error;
  }
}

/** Runs a check, but accepts a full disk: files can still be read, and removed to free space. */
export async function unlessFull(check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof Fault) || !FULL.includes(systemCodeOf(error.cause) ?? '')) throw error;
  }
}
