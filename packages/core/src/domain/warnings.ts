import type { Nothing, Told } from '../refusal.ts';
import { orderProblems } from './archive-rules.ts';
import type { FollowedReference } from './judge-reference.ts';
import type { SecretKind } from './secrets.ts';

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
export interface ObservedFile {
  readonly path: string;
  readonly references: readonly FollowedReference[];
  readonly secrets: readonly SecretKind[];
  /** Whether all of it was looked through. */
  readonly whole: boolean;
}

/** The most warnings an answer carries. */
export const MOST_WARNINGS = 20;

/**
 * Judges what was seen. One warning of each rule comes before the second of any, so that no rule hides another:
 * secrets first, then references, then source maps, and in the end whether there may be more.
 *
 * @param absolutePathsWork false where sites live under a path (path mode), where `/x` leads out of them.
 */
export function warningsOf(files: readonly ObservedFile[], absolutePathsWork: boolean): readonly Warning[] {
  const secrets = files.flatMap(({ path, secrets: kinds }) =>
    kinds.map((secret): Warning => ({ rule: 'possible_secret', path, secret })),
  );
  const references = files.flatMap(({ path, references: made }) =>
    made.flatMap((reference) => referenceWarning(path, reference, absolutePathsWork) ?? []),
  );
  const maps = files
    .filter(({ path }) => path.endsWith('.map'))
    .map(({ path }): Warning => ({ rule: 'source_map', path }));
  const rest: readonly Warning[] = files.every(({ whole }) => whole) ? [] : [{ rule: 'not_all_checked' }];
  const all = [...secrets, ...references, ...maps, ...rest];
  return orderProblems(all).slice(0, MOST_WARNINGS);
}

function referenceWarning(
  path: string,
  reference: FollowedReference,
  absolutePathsWork: boolean,
): Warning | undefined {
  const target = cut(reference.target);
  if (reference.absolute && !absolutePathsWork) return { rule: 'absolute_reference', path, target };
  if (reference.otherCase !== undefined) {
    return { rule: 'case_mismatch', path, target, file: cut(reference.otherCase) };
  }
  return reference.answered ? undefined : { rule: 'broken_reference', path, target };
}

function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
