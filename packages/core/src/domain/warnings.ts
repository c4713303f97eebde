import { foldPath } from './entry-path.ts';
import type { Manifest } from './manifest.ts';
import type { Observation, Reference } from './observations.ts';
import { resolve } from './site.ts';

/** Something allowed that will disappoint viewers (contract, section 2). */
export interface Warning {
  readonly rule:
    | 'case_mismatch'
    | 'broken_reference'
    | 'source_map'
    | 'possible_secret'
    | 'absolute_reference';
  readonly detail: string;
  /** The file in which it was seen. */
  readonly path?: string;
}

/** A file of the site with what was seen in it. */
export interface ObservedFile extends Observation {
  readonly path: string;
}

/** The most warnings an answer carries. */
const MOST = 20;
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?)/i;
const TEMPLATE = /\{\{|<%|\$\{/;

/**
 * Judges what was seen. Secrets come first, then what is broken everywhere, then the rest.
 *
 * @param absolutePathsWork false where sites live under a path (path mode), where `/x` leads out of them.
 */
export function warningsOf(
  manifest: Manifest,
  files: readonly ObservedFile[],
  absolutePathsWork: boolean,
): readonly Warning[] {
  const sites = new Map(manifest.entries.map((entry) => [foldPath(entry.path), entry.path as string]));
  const references = files.flatMap((file) =>
    file.references.flatMap((reference) =>
      judgeReference(manifest, sites, file.path, reference, absolutePathsWork),
    ),
  );
  const maps = manifest.entries.filter((entry) => entry.path.endsWith('.map'));
  return [
    ...files.flatMap(({ path, secrets }) => secrets.map((kind) => secretWarning(path, kind))),
    ...references,
    ...maps.map((entry) => sourceMapWarning(entry.path)),
  ].slice(0, MOST);
}

function judgeReference(
  manifest: Manifest,
  folded: ReadonlyMap<string, string>,
  page: string,
  { target, navigation }: Reference,
  absolutePathsWork: boolean,
): readonly Warning[] {
  if (ELSEWHERE.test(target) || TEMPLATE.test(target)) return [];
  const path = resolveReference(page, target);
  if (path === undefined) return [];
  if (!absolutePathsWork && target.startsWith('/')) {
    const detail = `"${cut(target)}" begins with "/" and leads out of the site here; make it relative.`;
    return [{ rule: 'absolute_reference', detail, path: page }];
  }
  const answer = resolve(manifest, path, navigation).kind;
  if (answer === 'file' || answer === 'folder') return [];
  const other = folded.get(foldPath(path.slice(1)));
  if (other !== undefined) {
    const detail = `"${cut(target)}" differs from the file "${cut(other)}" in upper and lower case only.`;
    return [{ rule: 'case_mismatch', detail, path: page }];
  }
  return [{ rule: 'broken_reference', detail: `No file of the site answers "${cut(target)}".`, path: page }];
}

/** The path a reference leads to, as the site is asked for it: RFC 3986, section 5.2, for paths alone. */
function resolveReference(page: string, target: string): string | undefined {
  const path = target.replace(/[?#].*$/s, '').replaceAll('\\', '/');
  const joined = path.startsWith('/') ? path : `/${page.slice(0, page.lastIndexOf('/') + 1)}${path}`;
  const segments: string[] = [];
  for (const segment of joined.slice(1).split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '.') segments.push(segment);
  }
  const folder = /(?:^|\/)\.{1,2}$/.test(joined) ? '/' : '';
  try {
    return decodeURIComponent(`/${segments.join('/')}${folder}`.replace(/\/+$/, '/'));
  } catch {
    return undefined;
  }
}

function secretWarning(path: string, kind: string): Warning {
  return {
    rule: 'possible_secret',
    detail: `The file seems to hold a secret (${kind}): if it is real, stop the publication and revoke it.`,
    path,
  };
}

function sourceMapWarning(path: string): Warning {
  return {
    rule: 'source_map',
    detail: 'Anyone with the link can read your sources in this source map.',
    path,
  };
}

function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
