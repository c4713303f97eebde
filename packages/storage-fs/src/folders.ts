import type { FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Files } from './files.ts';

/** Flushes the entries of a folder, so that they survive a power cut. */
export async function syncFolder(files: Files, folder: string): Promise<void> {
  // Windows cannot flush a folder; its journal preserves the entries.
  if (process.platform !== 'win32') await syncPath(files, folder, 'r');
}

/** Flushes a file, or the entries of a folder. */
export async function syncPath(files: Files, path: string, flags: 'r' | 'r+'): Promise<void> {
  await syncAndClose(await files.open(path, flags));
}

export async function syncAndClose(handle: FileHandle): Promise<void> {
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
