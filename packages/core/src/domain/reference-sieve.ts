import { follow, SitePaths } from './judge-reference.ts';
import type { Reference } from './observations.ts';
import { MOST_WARNINGS } from './warnings.ts';

/** Bounds the memory that pages full of references can take. */
const MOST_KNOWN = 10_000;

/** What can become of a reference: nothing, or a warning of one rule or another, by how the site is served. */
type Sort = 'nothing' | 'absolute' | `${'absolute ' | ''}${'unanswered' | 'other case'}`;

/**
 * Lets through the references of a site's pages that may become a warning. The pages of a large site refer to one
 * another 100,000 times, and at most 20 warnings are shown: no more of each sort need to be carried on.
 */
export class ReferenceSieve {
  readonly #site: SitePaths;
  /** The sort of a reference, by its folder where it is relative; large sites repeat theirs on each page. */
  readonly #known: Map<string, Sort> = new Map();
  readonly #passed: Map<Sort, number> = new Map();

  /** @param paths of all files of the site. */
  constructor(paths: readonly string[]) {
    this.#site = new SitePaths(paths);
  }

  /** Those references of a page that no file answers as they stand, and those that begin with `/`, 20 of each sort. */
  sift(page: string, references: readonly Reference[]): readonly Reference[] {
    const folder = page.slice(0, page.lastIndexOf('/') + 1);
    return references.filter((reference) => this.#passes(this.#sortOf(page, folder, reference)));
  }

  #passes(sort: Sort): boolean {
    if (sort === 'nothing') return false;
    const passed = this.#passed.get(sort) ?? 0;
    this.#passed.set(sort, passed + 1);
    return passed < MOST_WARNINGS;
  }

  #sortOf(page: string, folder: string, reference: Reference): Sort {
    const { target, navigation } = reference;
    const key = `${navigation}\n${target.startsWith('/') ? '' : folder}\n${target}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const sort = this.#judge(page, reference);
    if (this.#known.size < MOST_KNOWN) this.#known.set(key, sort);
    return sort;
  }

  #judge(page: string, reference: Reference): Sort {
    const destination = follow(this.#site, page, reference);
    if (destination === undefined) return 'nothing';
    const { absolute, answered, otherCase } = destination;
    if (answered && otherCase === undefined) return absolute ? 'absolute' : 'nothing';
    const doubt = otherCase === undefined ? 'unanswered' : 'other case';
    return absolute ? `absolute ${doubt}` : doubt;
  }
}
