import type { FollowedReference } from '@pinfold/core';
import { MOST_WARNINGS } from '@pinfold/core/adapter';
import type { Reference } from './observe.ts';
import { type Destination, PageReferences } from './page-references.ts';
import type { SitePaths } from './site-paths.ts';

/** References between two calls of `look`. */
const LOOK_EVERY = 256;

/** The warning that a reference can become; which one depends on how the site is served. */
type Sort = 'nothing' | 'absolute' | `${'absolute ' | ''}${'unanswered' | 'other case'}`;

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
  readonly #look: (() => void) | undefined;
  readonly #passed: Map<Sort, number> = new Map();

  /** @param look called now and then; throws to end the work. */
  constructor(site: SitePaths, look?: () => void) {
    this.#site = site;
    this.#look = look;
  }

  /** The references of a page that no file answers exactly, and those that begin with `/`. */
  sift(page: string, references: readonly Reference[]): readonly FollowedReference[] {
    const own = new PageReferences(this.#site, page);
    return references.flatMap((reference, index) => {
      if (index % LOOK_EVERY === 0) this.#look?.();
      const destination = own.follow(reference);
      if (destination === undefined || !this.#passes(sortOf(destination))) return [];
      return { target: reference.target, ...destination };
    });
  }

  #passes(sort: Sort): boolean {
    if (sort === 'nothing') return false;
    const passed = this.#passed.get(sort) ?? 0;
    this.#passed.set(sort, passed + 1);
    return passed < MOST_WARNINGS;
  }
}

function sortOf({ absolute, answered, otherCase }: Destination): Sort {
  if (answered && otherCase === undefined) return absolute ? 'absolute' : 'nothing';
  const doubt = otherCase === undefined ? 'unanswered' : 'other case';
  return absolute ? `absolute ${doubt}` : doubt;
}
