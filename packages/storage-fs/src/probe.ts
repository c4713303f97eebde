import type { Files } from './files.ts';

/** One block: an empty file can still be made on a disk that is full. */
const BLOCK = 4_096;

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
