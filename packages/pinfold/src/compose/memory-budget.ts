import type { ScryptPasswordHasherOptions } from '@pinfold/platform-node';
import type { ViewerOptions } from '@pinfold/viewer';

const MiB = 1_048_576;
/** A process with this much has everything at its default size. */
const FULL = 1_024 * MiB;
/**
 * Two passwords at once take 256 MiB (scrypt), and each thread that proves archives up to 100 MiB. A process with less
 * memory than this does one thing of each kind at a time.
 */
const TWO_AT_ONCE = 512 * MiB;

/** Another of OWASP's equivalent settings for scrypt, which takes 32 MiB in place of 128. */
const SMALL_HASH = { logN: 15, r: 8, p: 3 };

export interface MemoryBudget {
  readonly viewer: Pick<ViewerOptions, 'cacheBytes' | 'siteCacheBytes'>;
  readonly hashing: ScryptPasswordHasherOptions;
  readonly threads: number;
}

/** Sizes the caches, buffers and threads of each process by their common memory limit in bytes, such as a container's; 0: no limit. */
export function memoryBudget(
  processes: number,
  limit: number | undefined = process.constrainedMemory?.(),
): MemoryBudget {
  const own = (limit || Number.POSITIVE_INFINITY) / processes;
  if (own >= FULL) return { viewer: {}, hashing: {}, threads: Number.POSITIVE_INFINITY };
  const share = (bytes: number): number => Math.floor((bytes * own) / FULL);
  return {
    viewer: {
      cacheBytes: share(64 * MiB),
      siteCacheBytes: share(32 * MiB),
    },
    hashing: own < TWO_AT_ONCE ? { parallel: 1, cost: SMALL_HASH } : {},
    threads: own < TWO_AT_ONCE ? 1 : Number.POSITIVE_INFINITY,
  };
}
