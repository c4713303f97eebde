import type { FollowedReference } from '@pinfold/core';
import { MAX_WARNINGS } from '@pinfold/core/adapter';
import { type Destination, resolverOf, type SitePaths } from './page-references.ts';
import type { Reference } from './reference-collector.ts';
import { isScript } from './script-findings.ts';

/** The number of references between two calls of `checkpoint`. */
const CHECK_EVERY = 256;

/** The warning that a reference can become, depending on how the site is served. */
type WarningKind = 'nothing' | 'absolute' | `${'absolute ' | ''}${'unanswered' | 'other case'}`;
/** Counts references of scripts separately: they become warnings only if a page loads the script as a module. */
type CountedKind = WarningKind | `module ${WarningKind}`;

/**
 * Selects the references of a site's pages that may become a warning, 20 of each kind. The pages of a large site refer
 * to one another 100,000 times, and an answer has at most 20 warnings.
 *
 * @example
 * import { observe, ReferenceFilter, SitePaths } from '@pinfold/archive-zip/observe';
 *
 * const filter = new ReferenceFilter(new SitePaths(['index.html']));
 * const { references } = observe('index.html', '<img src="logo.png">');
 * const followed = filter.filter('index.html', references);
 */
export class ReferenceFilter {
  readonly #site: SitePaths;
  readonly #checkpoint: (() => void) | undefined;
  readonly #loaded = new Set<string>();
  readonly #passed: Map<CountedKind, number> = new Map();

  /** @param checkpoint called now and then; throws to end the work. */
  constructor(site: SitePaths, checkpoint?: () => void) {
    this.#site = site;
    this.#checkpoint = checkpoint;
  }

  /** The references of a file to which no file matches exactly, and those that would leave a site below a path. */
  filter(file: string, references: readonly Reference[]): readonly FollowedReference[] {
    const resolve = resolverOf(this.#site, file);
    return references.flatMap((reference, index) => {
      if (index % CHECK_EVERY === 0) this.#checkpoint?.();
      const resolver = resolve(reference);
      const destination = resolver?.follow(reference);
      if (destination === undefined) return [];
      const kind = warningKindOf(destination);
      if (kind === 'nothing' || !this.#passes(isScript(file) ? `module ${kind}` : kind)) return [];
      const basePath = kind.endsWith('unanswered') ? resolver?.basePathOf(reference) : undefined;
      return { target: reference.target, ...destination, ...(basePath !== undefined && { basePath }) };
    });
  }

  /** The scripts that a file loads as modules; for pages, only those that no earlier page loads. */
  modules(file: string, references: readonly Reference[]): readonly string[] {
    const resolve = resolverOf(this.#site, file);
    const paths = references.flatMap((reference) =>
      reference.isModule === true ? (resolve(reference)?.fileOf(reference) ?? []) : [],
    );
    const unloaded = paths.filter((path) => !this.#loaded.has(path));
    if (!isScript(file)) for (const path of unloaded) this.#loaded.add(path);
    return [...new Set(unloaded)];
  }

  #passes(kind: CountedKind): boolean {
    const passed = this.#passed.get(kind) ?? 0;
    this.#passed.set(kind, passed + 1);
    return passed < MAX_WARNINGS;
  }
}

function warningKindOf({ absolute, answered, otherCase }: Destination): WarningKind {
  if (answered && otherCase === undefined) return absolute ? 'absolute' : 'nothing';
  const kind = otherCase === undefined ? 'unanswered' : 'other case';
  return absolute ? `absolute ${kind}` : kind;
}
