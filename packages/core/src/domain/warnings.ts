import type { Nothing, Told } from '../refusal.ts';
import { orderProblems } from './archive-rules.ts';
import { PageReferences } from './judge-reference.ts';
import type { Manifest } from './manifest.ts';
import type { Observation, Reference } from './observations.ts';
import type { SecretKind } from './secrets.ts';
import { SitePaths } from './site-paths.ts';

interface AtPath {
  /** The file in which it was seen. */
  readonly path: string;
}

/** What is allowed and will disappoint viewers, each with what it tells. */
export interface WarningRules {
  /** The reference differs from that file of the site in upper and lower case only. */
  readonly case_mismatch: AtPath & { readonly target: string; readonly file: string };
  /** No file of the site answers the reference. */
  readonly broken_reference: AtPath & { readonly target: string };
  readonly source_map: AtPath;
  readonly possible_secret: AtPath & { readonly secret: SecretKind };
  /** In path mode, the reference leads out of the site. */
  readonly absolute_reference: AtPath & { readonly target: string };
  /** The site has more text and references than are looked through. */
  readonly not_all_checked: Nothing;
}

/** Something allowed that will disappoint viewers. */
export type Warning = Told<WarningRules>;

/** A warning as an older version kept it with its role: in words. */
export interface WordedWarning {
  readonly rule: keyof WarningRules;
  readonly detail: string;
  readonly path?: string;
}

/** A warning as it is kept with a role. */
export type KeptWarning = Warning | WordedWarning;

/** A file of the site with what was seen in it. */
export interface ObservedFile extends Observation {
  readonly path: string;
}

/** The most warnings an answer carries. */
export const MOST_WARNINGS = 20;

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
  const secrets = files.flatMap(({ path, secrets: kinds }) =>
    kinds.map((secret): Warning => ({ rule: 'possible_secret', path, secret })),
  );
  const references = files.flatMap(({ path, references: made }) => {
    if (made.length === 0) return [];
    const own = new PageReferences(site, path);
    return made.flatMap((reference) => referenceWarning(own, path, reference, absolutePathsWork) ?? []);
  });
  const maps = manifest.entries
    .filter(({ path }) => path.endsWith('.map'))
    .map(({ path }): Warning => ({ rule: 'source_map', path }));
  const rest: readonly Warning[] = files.every(({ whole }) => whole) ? [] : [{ rule: 'not_all_checked' }];
  const all = [...secrets, ...references, ...maps, ...rest];
  return orderProblems(all).slice(0, MOST_WARNINGS);
}

function referenceWarning(
  own: PageReferences,
  path: string,
  reference: Reference,
  absolutePathsWork: boolean,
): Warning | undefined {
  const destination = own.follow(reference);
  if (destination === undefined) return undefined;
  const target = cut(reference.target);
  if (destination.absolute && !absolutePathsWork) return { rule: 'absolute_reference', path, target };
  if (destination.otherCase !== undefined) {
    return { rule: 'case_mismatch', path, target, file: cut(destination.otherCase) };
  }
  return destination.answered ? undefined : { rule: 'broken_reference', path, target };
}

function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
