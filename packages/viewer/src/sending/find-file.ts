import type { IncomingHttpHeaders } from 'node:http';
import { fallback } from '@pinfold/core/adapter';
import { resolve } from '@pinfold/core/internal';
import { decodePath } from '../routing/target.ts';
import type { SiteFile, SiteFiles } from './site-files.ts';

/** The result of looking up a path in a site. */
export type Found =
  /** `fallback`: another kind of request would be answered otherwise. */
  | { readonly kind: 'file'; readonly file: SiteFile; readonly status: 200 | 404; readonly fallback: boolean }
  | { readonly kind: 'folder' | 'page' }
  | { readonly kind: 'nothing' };

/**
 * Finds the file for a path inside a site, percent-encoded as it was sent.
 *
 * @param accept the request's Accept header: a navigation has `text/html` in it.
 */
export function findFile(site: SiteFiles, path: string, accept: string | undefined): Found {
  const decoded = decodePath(path);
  const navigation = isNavigation(accept);
  const resolution =
    decoded === undefined
      ? fallback(site.manifest, path.slice(1), navigation)
      : resolve(site.manifest, decoded, navigation);
  switch (resolution.kind) {
    case 'nothing':
    case 'folder':
    case 'page':
      return resolution;
    case 'not_found_page':
      return { kind: 'file', file: site.file(resolution.entry), status: 404, fallback: true };
    case 'file': {
      const file = site.file(resolution.entry);
      const { fallback } = resolution;
      // The decoded text is its own: the path is a part of the target, and would keep its query in memory.
      if (!fallback && decoded === path) site.remember(decoded, file);
      return { kind: 'file', file, status: 200, fallback };
    }
    default:
      return resolution satisfies never;
  }
}

/** Whether a person's browser opens the address itself, rather than a page its parts or frames. */
export function isDocument(headers: IncomingHttpHeaders): boolean {
  const destination = headers['sec-fetch-dest'];
  return destination === undefined ? isNavigation(headers.accept) : destination === 'document';
}

/** Whether Accept says that a person's browser asks for a page. */
export function isNavigation(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes('text/html') === true;
}
