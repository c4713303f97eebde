import { statfs } from 'node:fs/promises';

export interface UploadDisk {
  /** The free bytes. */
  free(): Promise<number>;
  /** The maximum bytes of an archive. */
  readonly archiveBytes: number;
}

export class LowSpace extends Error {}

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Returns a check that throws {@link LowSpace} if less is free than one archive may need. Then it throws until twice
 * that much is free, so that the state does not flap.
 */
export function createSpaceCheck({ free, archiveBytes }: UploadDisk): () => Promise<void> {
  let isLow = false;
  return async () => {
    const bytes = await free();
    isLow = bytes < (isLow ? 2 : 1) * archiveBytes;
    if (isLow) throw new LowSpace(`${bytes} bytes are free, and one archive may need ${archiveBytes}`);
  };
}
