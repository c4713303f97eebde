import { statfs } from 'node:fs/promises';

export interface UploadDisk {
  /** The free bytes. */
  free(): Promise<number>;
  /** The most bytes of an archive. */
  readonly archiveBytes: number;
}

export class LowSpace extends Error {}

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Returns a check that throws {@link LowSpace} when less is free than one archive may need. It then throws until twice
 * that is free, so that the state does not flap.
 */
export function spaceCheck({ free, archiveBytes }: UploadDisk): () => Promise<void> {
  let isLow = false;
  return async () => {
    const bytes = await free();
    isLow = bytes < (isLow ? 2 : 1) * archiveBytes;
    if (isLow) throw new LowSpace(`${bytes} bytes are free, and one archive may need ${archiveBytes}`);
  };
}
