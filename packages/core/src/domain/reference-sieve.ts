import { type Destination, type FollowedReference, PageReferences } from './judge-reference.ts';
import type { Reference } from './observations.ts';
import type { SitePaths } from './site-paths.ts';
import { MOST_WARNINGS } from './warnings.ts';

/** References between two looks at whether to go on. */
const LOOK_EVERY = 256;

/** What can become of a reference: nothing, or a warning of one rule or another, by how the site is served. */
type Sort = 'nothing' | 'absolute' | `${'absolute ' | ''}${'unanswered' | 'other case'}`;

/**
 * Lets through the references of a site's pages that may become a warning. The pages of a large site refer to one
 * another 100,000 times, and at most 20 warnings are shown: no more of each sort need to be carried on.
 *
 * @example
 * import { observe, ReferenceSieve, SitePaths } from '@pinfold/core/observe';
 *
 * const sieve = new ReferenceSieve(new SitePaths(['index.html']));
 * const { references } = observe('index.html', '<img src="logo.png">');
 * const kept = sieve.sift('index.html', references);
 */
export class ReferenceSieve {
  readonly #site: SitePaths;
  readonly #look: (() => void) | undefined;
  readonly #passed: Map<Sort, number> = new Map();

  /** @param look is called now and then, and throws to end it. */
  constructor(site: SitePaths, look?: () => void) {
    this.#site = site;
    this.#look = look;
  }

  /** Those references of a page that no file answers as they stand, and those that begin with `/`, 20 of each sort. */
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
