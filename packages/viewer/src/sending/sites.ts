import type { Ended, Manifest, ManifestEntry, Open, Publication, RoleId } from '@pinfold/core';
import { findFallback, type Resolution } from '@pinfold/core/adapter';
import { isPromise, resolve } from '@pinfold/core/internal';
import { EndedMeanwhile } from '@pinfold/http/internal';
import { LRUCache } from 'lru-cache';
import { ANSWERED, type Answered, chain, type Exchange, type MaybePromise } from '../exchange.ts';
import { type Headers, sendPlainPage, sendRedirect } from '../pages/answers.ts';
import { isNavigation } from '../routing/destination.ts';
import { decodePath, encodeRawBytes, type Target } from '../routing/target.ts';
import type { CacheStatistics } from '../viewer-options.ts';
import { type FoundFile, SiteFile } from './file-answer.ts';
import { sendFile } from './send-file.ts';

/** The place of a site, for its redirects and pages. */
export interface SitePlace {
  /** Scheme, host and path before the site's own paths. */
  base(): string;
  readonly referrer: 'same-origin' | 'no-referrer';
  /** More headers of answers without a file. */
  readonly more: Headers;
}

/** Answers a path inside the site of a publication whose viewer may see it. */
export function serveSite(
  exchange: Exchange,
  publication: Publication,
  target: Target,
  place: SitePlace,
): MaybePromise<Answered | Ended> {
  return chain(exchange.context.sites.load(publication), (loaded) =>
    loaded instanceof SiteFiles ? serveFrom(loaded, exchange, publication, target, place) : loaded,
  );
}

function serveFrom(
  site: SiteFiles,
  exchange: Exchange,
  publication: Publication,
  { path, query }: Target,
  place: SitePlace,
): MaybePromise<Answered | Ended> {
  const { policies } = exchange.context;
  const policy = !publication.passwordProtected ? policies.open : policies.protected;
  const known = site.known(path);
  if (known !== undefined) {
    return showFile(exchange, { publication, file: known, status: 200, fallback: false, policy });
  }
  const found = site.find(path, isNavigation(exchange.request.headers.accept));
  if (found.kind === 'file' || found.kind === 'not_found_page') {
    const isPage = found.kind === 'not_found_page';
    const file = site.file(found.entry);
    const fallback = isPage || found.fallback;
    return showFile(exchange, { publication, file, status: isPage ? 404 : 200, fallback, policy });
  }
  if (found.kind === 'nothing') {
    return sendPlainPage(exchange, 404, 'no_such_file', { ...place.more, 'Referrer-Policy': place.referrer });
  }
  const moved = found.kind === 'folder' ? `${path}/` : path.slice(0, -1);
  const location = `${place.base()}${encodeRawBytes(moved)}${encodeRawBytes(query)}`;
  return sendRedirect(exchange, { status: 308, location, referrer: place.referrer }, place.more);
}

const PAGE: Answered = { isPage: true };

function showFile(exchange: Exchange, found: FoundFile): MaybePromise<Answered | Ended> {
  const shown = found.file.isPage ? PAGE : ANSWERED;
  const sending = sendFile(exchange, found);
  return isPromise(sending) ? sending.then(() => shown, endedOf) : shown;
}

function endedOf(error: unknown): Ended {
  if (error instanceof EndedMeanwhile) return error.ended;
  throw error;
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
  readonly #loading = new Map<RoleId, Promise<SiteFiles | Ended>>();

  constructor(open: Open, bytes: number) {
    this.#open = open;
    this.#hot = new LRUCache({ maxSize: Math.max(1, bytes), sizeCalculation: (site) => site.bytes });
  }

  get bytes(): number {
    return this.#hot.calculatedSize;
  }

  /** Returns a site's files, from the cache or loaded; concurrent requests share one load. */
  load(publication: Publication): MaybePromise<SiteFiles | Ended> {
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

  async #load(publication: Publication): Promise<SiteFiles | Ended> {
    this.misses += 1;
    const loaded = await this.#open.manifest(publication);
    if (loaded.kind !== 'manifest') return loaded;
    const site = new SiteFiles(publication.id, loaded.manifest);
    this.#hot.set(publication.id, site);
    return site;
  }
}
