import type { Manifest, ManifestEntry, Open, Publication, RoleId } from '@pinfold/core';
import { findFallback, type Resolution } from '@pinfold/core/adapter';
import { resolve } from '@pinfold/core/internal';
import { EndedMeanwhile } from '@pinfold/http/internal';
import { LRUCache } from 'lru-cache';
import { type Answered, chain, type Exchange, type MaybePromise } from '../exchange.ts';
import { sendPlainPage, sendRedirect } from '../pages/answers.ts';
import { decodePath, isNavigation, type Target } from '../routing/target.ts';
import type { CacheStatistics } from '../viewer-options.ts';
import { SiteFile } from './file-answer.ts';
import { sendFile } from './send-file.ts';

/**
 * Answers a path inside the site of a publication whose viewer may see it.
 *
 * @param base the address before the site's own paths.
 * @throws EndedMeanwhile when the publication ended before any of a file was sent.
 */
export function serveSite(
  exchange: Exchange,
  publication: Publication,
  target: Target,
  base: string,
): MaybePromise<Answered> {
  return chain(exchange.context.sites.load(publication), (site) =>
    serveFrom(site, exchange, publication, target, base),
  );
}

function serveFrom(
  site: SiteFiles,
  exchange: Exchange,
  publication: Publication,
  { path, query }: Target,
  base: string,
): MaybePromise<Answered> {
  const { policies } = exchange.context;
  const policy = publication.passwordProtected ? policies.protected : policies.open;
  const known = site.known(path);
  if (known !== undefined) {
    return sendFile(exchange, { publication, file: known, status: 200, fallback: false, policy });
  }
  const found = site.find(path, isNavigation(exchange.request.headers.accept));
  switch (found.kind) {
    case 'file': {
      const { entry, fallback } = found;
      return sendFile(exchange, { publication, file: site.file(entry), status: 200, fallback, policy });
    }
    case 'not_found_page': {
      const file = site.file(found.entry);
      return sendFile(exchange, { publication, file, status: 404, fallback: true, policy });
    }
    case 'nothing':
      return sendPlainPage(exchange, 404, 'no_such_file');
    default: {
      const moved = found.kind === 'folder' ? `${path}/` : path.slice(0, -1);
      return sendRedirect(exchange, { status: 308, location: base + moved + query });
    }
  }
}

/** The files of one publication, each prepared on its first request. */
export class SiteFiles {
  readonly manifest: Manifest;
  readonly #publication: RoleId;
  readonly #files = new Map<ManifestEntry, SiteFile>();
  /** Files by path as sent. Only successful paths are stored: at most three for each file. */
  readonly #direct = new Map<string, SiteFile>();

  constructor(publication: RoleId, manifest: Manifest) {
    this.manifest = manifest;
    this.#publication = publication;
  }

  known(path: string): SiteFile | undefined {
    return this.#direct.get(path);
  }

  /** Finds the answer to a path, percent-encoded as sent. */
  find(path: string, navigation: boolean): Resolution {
    const decoded = decodePath(path);
    if (decoded === undefined) return findFallback(this.manifest, path.slice(1), navigation);
    const found = resolve(this.manifest, decoded, navigation);
    // Stores the decoded text: `path` is a slice of the target, and would hold the query in memory.
    if (found.kind === 'file' && !found.fallback && decoded === path) {
      this.#direct.set(decoded, this.file(found.entry));
    }
    return found;
  }

  file(entry: ManifestEntry): SiteFile {
    const file = this.#files.get(entry) ?? new SiteFile(this.#publication, entry);
    this.#files.set(entry, file);
    return file;
  }

  /** The approximate bytes in memory once every file was requested. */
  get bytes(): number {
    let sum = 1_024;
    for (const { path } of this.manifest.entries) sum += 2_048 + 4 * path.length;
    return sum;
  }
}

/** Caches the file lists of hot sites, which never change. Missing sites are not cached. */
export class Sites implements CacheStatistics {
  hits = 0;
  misses = 0;
  readonly #open: Open;
  readonly #hot: LRUCache<RoleId, SiteFiles>;
  readonly #loading = new Map<RoleId, Promise<SiteFiles>>();

  constructor(open: Open, bytes: number) {
    this.#open = open;
    this.#hot = new LRUCache({ maxSize: Math.max(1, bytes), sizeCalculation: (site) => site.bytes });
  }

  get bytes(): number {
    return this.#hot.calculatedSize;
  }

  /**
   * Returns a site's files, from the cache or loaded; concurrent requests share one load.
   *
   * @throws EndedMeanwhile when the publication has ended.
   */
  load(publication: Publication): MaybePromise<SiteFiles> {
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

  async #load(publication: Publication): Promise<SiteFiles> {
    this.misses += 1;
    const loaded = await this.#open.manifest(publication);
    if (loaded.kind !== 'manifest') throw new EndedMeanwhile(loaded);
    const site = new SiteFiles(publication.id, loaded.manifest);
    this.#hot.set(publication.id, site);
    return site;
  }
}
