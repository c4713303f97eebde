import type { ScryptPasswordHasherOptions } from '@pinfold/platform-node';
import type { ViewerOptions } from '@pinfold/viewer';

const MiB = 1_048_576;
/** The memory of a process with which all sizes have their defaults. */
const FULL_BUDGET = 1_024 * MiB;
/**
 * A process with less memory does one thing of each kind at a time: two passwords at once take 256 MiB (scrypt), and
 * each thread that proves archives takes up to 100 MiB.
 */
const MIN_FOR_TWO = 512 * MiB;

/** Another of OWASP's equivalent settings for scrypt, which takes 32 MiB instead of 128. */
const SMALL_HASH = { logN: 15, r: 8, p: 3 };

interface MemoryBudget {
  readonly viewer: Pick<ViewerOptions, 'cacheBytes' | 'siteCacheBytes'>;
  readonly hashing: ScryptPasswordHasherOptions;
  readonly threads: number;
}

/**
 * Sizes the caches, buffers and threads of each process by the memory limit of all processes together, such as a
 * container's, in bytes; 0: no limit.
 */
export function createMemoryBudget(
  processes: number,
  limit: number | undefined = process.constrainedMemory?.(),
): MemoryBudget {
  const perProcess = (limit || Number.POSITIVE_INFINITY) / processes;
  if (perProcess >= FULL_BUDGET) return { viewer: {}, hashing: {}, threads: Number.POSITIVE_INFINITY };
  const scale = (bytes: number): number => Math.floor((bytes * perProcess) / FULL_BUDGET);
  return {
    viewer: {
      cacheBytes: scale(64 * MiB),
      siteCacheBytes: scale(32 * MiB),
    },
    hashing: perProcess < MIN_FOR_TWO ? { parallel: 1, cost: SMALL_HASH } : {},
    threads: perProcess < MIN_FOR_TWO ? 1 : Number.POSITIVE_INFINITY,
  };
}
