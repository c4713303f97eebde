import { statfs } from 'node:fs/promises';

export interface UploadDisk {
  free(): Promise<number>;
  readonly archiveBytes: number;
}

export class LowSpace extends Error {}

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * A check that fails with {@link LowSpace} while less is free than one archive may need, and from then on until twice
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
