import type { CacheFigures } from '../viewer-options.ts';

/** How often a cache had what was asked for, and how often that had to be loaded. */
export interface Asked {
  hits: number;
  misses: number;
}

/** The figures of a cache, read when they are asked for; without a cache everything is a miss. */
export function cacheFigures(
  asked: Readonly<Asked>,
  cache: { readonly calculatedSize: number } | undefined,
): CacheFigures {
  return {
    get hits() {
      return asked.hits;
    },
    get misses() {
      return asked.misses;
    },
    get bytes() {
      return cache?.calculatedSize ?? 0;
    },
  };
}
