import type { CacheFigures, ViewerFigures } from '@pinfold/viewer';
import type { Figures } from './registry.ts';

const CACHES = ['bodies', 'sites'] as const;

/** Measures what the viewer keeps in memory. */
export class ViewerCacheFigures {
  #caches: Pick<ViewerFigures, (typeof CACHES)[number]> | undefined;

  constructor(figures: Figures) {
    const labels = ['cache'];
    const hits = figures.counter({ name: 'pinfold_cache_hits_total', help: 'What memory had.', labels });
    const misses = figures.counter({ name: 'pinfold_cache_misses_total', help: 'What was loaded.', labels });
    const bytes = figures.gauge({ name: 'pinfold_cache_bytes', help: 'What memory holds.', labels });
    figures.measure(() => {
      for (const name of CACHES) {
        const cache: CacheFigures = this.#caches?.[name] ?? { hits: 0, misses: 0, bytes: 0 };
        hits.at(name).value = cache.hits;
        misses.at(name).value = cache.misses;
        bytes.at(name).value = cache.bytes;
      }
    });
  }

  /** Says where they are. */
  has(caches: Pick<ViewerFigures, (typeof CACHES)[number]>): void {
    this.#caches = caches;
  }
}
