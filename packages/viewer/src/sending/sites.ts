import type { Ended, Open, Publication, RoleId } from '@pinfold/core';
import { LRUCache } from 'lru-cache';
import type { Soon } from '../exchange.ts';
import type { CacheFigures } from '../viewer-options.ts';
import { SiteFiles } from './site-files.ts';

/** The files of a publication's site, unless it ended meanwhile. */
export type LoadedSite = SiteFiles | Ended;

/** Caches the lists of files of hot sites by publication: they never change. It does not cache that a site is absent. */
export class Sites implements CacheFigures {
  hits = 0;
  misses = 0;
  readonly #open: Open;
  readonly #hot: LRUCache<RoleId, SiteFiles>;
  readonly #loading = new Map<RoleId, Promise<LoadedSite>>();

  constructor(open: Open, bytes: number) {
    this.#open = open;
    this.#hot = new LRUCache({ maxSize: Math.max(1, bytes), sizeCalculation: (site) => site.bytes });
  }

  get bytes(): number {
    return this.#hot.calculatedSize;
  }

  /** A site's files, from memory or loaded; concurrent requests share one load. */
  load(publication: Publication): Soon<LoadedSite> {
    const hot = this.#hot.get(publication.id);
    if (hot !== undefined) {
      this.hits += 1;
      return hot;
    }
    const running = this.#loading.get(publication.id);
    if (running !== undefined) return running;
    const loading = this.#load(publication).finally(() => this.#loading.delete(publication.id));
    this.#loading.set(publication.id, loading);
    return loading;
  }

  async #load(publication: Publication): Promise<LoadedSite> {
    this.misses += 1;
    const loaded = await this.#open.manifest(publication);
    if (loaded.kind !== 'manifest') return loaded;
    const site = new SiteFiles(publication.id, loaded.manifest);
    this.#hot.set(publication.id, site);
    return site;
  }
}
