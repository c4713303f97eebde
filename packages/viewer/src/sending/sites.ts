import type { Ended, Open, Publication, RoleId } from '@pinfold/core';
import { LRUCache } from 'lru-cache';
import type { Soon } from '../exchange.ts';
import type { CacheFigures } from '../viewer-options.ts';
import { SiteFiles } from './site-files.ts';

/** The files of a publication's site, unless it ended meanwhile. */
export type LoadedSite = SiteFiles | Ended;

/** What is known of hot sites' files. It never changes, so it is cached by publication; an absence is not. */
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

  /** A site's files, loaded where they are not in memory, once however many ask at the same time. */
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
