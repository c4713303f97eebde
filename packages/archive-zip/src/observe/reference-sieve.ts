import type { FollowedReference } from '@pinfold/core';
import { MAX_WARNINGS } from '@pinfold/core/adapter';
import { type Destination, resolverOf } from './page-references.ts';
import type { Reference } from './reference-collector.ts';
import { isScript } from './script-findings.ts';
import type { SitePaths } from './site-paths.ts';

/** References between two calls of `checkpoint`. */
const CHECK_EVERY = 256;

/** The warning that a reference can become; which one depends on how the site is served. */
type Sort = 'nothing' | 'absolute' | `${'absolute ' | ''}${'unanswered' | 'other case'}`;
/** Those of scripts are counted apart: they become warnings only if a page loads the script as a module. */
type CountedSort = Sort | `module ${Sort}`;

/**
 * Selects the references of a site's pages that may become a warning, 20 of each sort. The pages of a large site refer
 * to one another 100,000 times, and an answer has at most 20 warnings.
 *
 * @example
 * import { observe, ReferenceSieve, SitePaths } from '@pinfold/archive-zip/observe';
 *
 * const sieve = new ReferenceSieve(new SitePaths(['index.html']));
 * const { references } = observe('index.html', '<img src="logo.png">');
 * const followed = sieve.sift('index.html', references);
 */
export class ReferenceSieve {
  readonly #site: SitePaths;
  readonly #checkpoint: (() => void) | undefined;
  readonly #loaded = new Set<string>();
  readonly #passed: Map<CountedSort, number> = new Map();

  /** @param look called now and then; throws to end the work. */
  constructor(site: SitePaths, checkpoint?: () => void) {
    this.#site = site;
    this.#checkpoint = checkpoint;
  }

  /** The references of a file that no file answers exactly, and those that lead out of a site under a path. */
  sift(file: string, references: readonly Reference[]): readonly FollowedReference[] {
    const referencesOf = resolverOf(this.#site, file);
    return references.flatMap((reference, index) => {
      if (index % CHECK_EVERY === 0) this.#checkpoint?.();
      const destination = referencesOf(reference)?.follow(reference);
      if (destination === undefined) return [];
      const sort = sortOf(destination);
      if (sort === 'nothing' || !this.#passes(isScript(file) ? `module ${sort}` : sort)) return [];
      return { target: reference.target, ...destination };
    });
  }

  /** The scripts that a file loads as modules; of pages only those that no page before loads. */
  modules(file: string, references: readonly Reference[]): readonly string[] {
    const referencesOf = resolverOf(this.#site, file);
    const paths = references.flatMap((reference) =>
      reference.isModule === true ? (referencesOf(reference)?.fileOf(reference) ?? []) : [],
    );
    const further = paths.filter((path) => !this.#loaded.has(path));
    if (!isScript(file)) for (const path of further) this.#loaded.add(path);
    return [...new Set(further)];
  }

  #passes(sort: CountedSort): boolean {
    const passed = this.#passed.get(sort) ?? 0;
    this.#passed.set(sort, passed + 1);
    return passed < MAX_WARNINGS;
  }
}

function sortOf({ absolute, answered, otherCase }: Destination): Sort {
  if (answered && otherCase === undefined) return absolute ? 'absolute' : 'nothing';
  const doubt = otherCase === undefined ? 'unanswered' : 'other case';
  return absolute ? `absolute ${doubt}` : doubt;
}
