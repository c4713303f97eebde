import { orderProblems } from './archive-rules.ts';
import { PageReferences } from './judge-reference.ts';
import type { Manifest } from './manifest.ts';
import type { Observation, Reference } from './observations.ts';
import { SitePaths } from './site-paths.ts';

/** Something allowed that will disappoint viewers (contract, section 2). */
export interface Warning {
  readonly rule:
    | 'case_mismatch'
    | 'broken_reference'
    | 'source_map'
    | 'possible_secret'
    | 'absolute_reference'
    | 'not_all_checked';
  readonly detail: string;
  /** The file in which it was seen. */
  readonly path?: string;
}

/** A file of the site with what was seen in it. */
export interface ObservedFile extends Observation {
  readonly path: string;
}

/** The most warnings an answer carries. */
export const MOST_WARNINGS = 20;

const NOT_ALL_CHECKED: Warning = {
  rule: 'not_all_checked',
  detail: 'The site has more text and references than are looked through: there may be more to warn of.',
};

/**
 * Judges what was seen. One warning of each rule comes before the second of any, so that no rule hides another:
 * secrets first, then references, then source maps, and in the end whether there may be more.
 *
 * @param absolutePathsWork false where sites live under a path (path mode), where `/x` leads out of them.
 */
export function warningsOf(
  manifest: Manifest,
  files: readonly ObservedFile[],
  absolutePathsWork: boolean,
): readonly Warning[] {
  const site = new SitePaths(manifest.entries.map(({ path }) => path));
  const secrets = files.flatMap(({ path, secrets: kinds }) => kinds.map((kind) => secretWarning(path, kind)));
  const references = files.flatMap(({ path, references: made }) => {
    if (made.length === 0) return [];
    const own = new PageReferences(site, path);
    return made.flatMap((reference) => referenceWarning(own, path, reference, absolutePathsWork) ?? []);
  });
  const maps = manifest.entries.filter(({ path }) => path.endsWith('.map'));
  const rest = files.every(({ whole }) => whole) ? [] : [NOT_ALL_CHECKED];
  const all = [...secrets, ...references, ...maps.map(({ path }) => sourceMapWarning(path)), ...rest];
  return orderProblems(all).slice(0, MOST_WARNINGS);
}

function referenceWarning(
  own: PageReferences,
  page: string,
  reference: Reference,
  absolutePathsWork: boolean,
): Warning | undefined {
  const destination = own.follow(reference);
  if (destination === undefined) return undefined;
  const target = cut(reference.target);
  if (destination.absolute && !absolutePathsWork) {
    const detail = `"${target}" begins with "/" and leads out of the site here; make it relative.`;
    return { rule: 'absolute_reference', detail, path: page };
  }
  if (destination.otherCase !== undefined) {
    const other = cut(destination.otherCase);
    const detail = `"${target}" differs from the file "${other}" in upper and lower case only.`;
    return { rule: 'case_mismatch', detail, path: page };
  }
  if (destination.answered) return undefined;
  return { rule: 'broken_reference', detail: `No file of the site answers "${target}".`, path: page };
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
