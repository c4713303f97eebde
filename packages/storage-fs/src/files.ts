import { mkdir, open, opendir, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { Fault } from '@pinfold/core';
import { systemCodeOf } from '@pinfold/core/internal';

/** The file system functions that this package uses; tests replace them with failing ones. */
export type Files = Readonly<
  Pick<
    typeof import('node:fs/promises'),
    'mkdir' | 'open' | 'opendir' | 'readdir' | 'rename' | 'rm' | 'rmdir' | 'stat' | 'unlink'
  >
>;

export const nodeFiles: Files = { mkdir, open, opendir, readdir, rename, rm, rmdir, stat, unlink };

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
