import { Fault } from '@pinfold/core';
import { systemCodeOf } from '@pinfold/core/internal';
import type { Files } from './files.ts';

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
