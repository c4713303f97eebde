import type { ViewerFigures } from '@pinfold/viewer';
import type { Figures } from './registry.ts';

/** Measures what the viewer holds in memory. */
export function cacheFigures(figures: Figures, caches: Pick<ViewerFigures, 'bodies' | 'sites'>): void {
  const labels = ['cache'];
  const hits = figures.counter({ name: 'pinfold_cache_hits_total', help: 'What memory had.', labels });
  const misses = figures.counter({ name: 'pinfold_cache_misses_total', help: 'What was loaded.', labels });
  const bytes = figures.gauge({ name: 'pinfold_cache_bytes', help: 'What memory holds.', labels });
  figures.measure(() => {
    for (const [name, cache] of Object.entries(caches)) {
      hits.at(name).value = cache.hits;
      misses.at(name).value = cache.misses;
      bytes.at(name).value = cache.bytes;
    }
  });
}
