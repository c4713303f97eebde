import { Fault } from '@pinfold/core';
import { systemCodeOf } from '@pinfold/core/internal';
import type { Files } from './files.ts';

/** One block: an empty file can still be made on a disk that is full. */
const BLOCK = 4_096;
/** The disk, or what one user may have of it, is full. */
const FULL = ['ENOSPC', 'EDQUOT'];

/** Writes a small new file, to see whether that is possible now; none is left when it was not. */
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

/** Checks a folder when it is opened. A full disk is no obstacle: files can be read, and removed to free space. */
export async function unlessFull(check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof Fault) || !FULL.includes(systemCodeOf(error.cause) ?? '')) throw error;
  }
}
