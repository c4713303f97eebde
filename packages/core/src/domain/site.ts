import type { Manifest, ManifestEntry } from './manifest.ts';

/** How a site answers a path: a file, its own page for what is missing, the way to a folder, or nothing. */
export type Resolution =
  | { readonly kind: 'file'; readonly entry: ManifestEntry }
  | { readonly kind: 'not_found_page'; readonly entry: ManifestEntry }
  | { readonly kind: 'folder' }
  | { readonly kind: 'nothing' };

/**
 * Which file answers a path (contract, section 7, "Resolution").
 *
 * @param path the decoded path of the request inside the site, beginning with `/`.
 * @param navigation whether a person's browser asks for a page, rather than a page for its parts.
 */
export function resolve(manifest: Manifest, path: string, navigation: boolean): Resolution {
  const name = path.slice(1);
  const direct = name === '' || name.endsWith('/') ? manifest.get(`${name}index.html`) : file(manifest, name);
  if (direct !== undefined) return { kind: 'file', entry: direct };
  if (name !== '' && !name.endsWith('/') && manifest.get(`${name}/index.html`) !== undefined) {
    return { kind: 'folder' };
  }
  return fallback(manifest, name, navigation);
}

function file(manifest: Manifest, name: string): ManifestEntry | undefined {
  return manifest.get(name) ?? manifest.get(`${name}.html`);
}

function fallback(manifest: Manifest, name: string, navigation: boolean): Resolution {
  const everyPath = navigation ? manifest.get('200.html') : undefined;
  if (everyPath !== undefined) return { kind: 'file', entry: everyPath };
  const notFound = manifest.get('404.html');
  if (notFound !== undefined) return { kind: 'not_found_page', entry: notFound };
  const lastSegment = name.slice(name.lastIndexOf('/') + 1);
  const index = navigation && !lastSegment.includes('.') ? manifest.get('index.html') : undefined;
  return index === undefined ? { kind: 'nothing' } : { kind: 'file', entry: index };
}
