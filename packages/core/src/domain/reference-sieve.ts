import { follow, SitePaths } from './judge-reference.ts';
import type { Reference } from './observations.ts';
import { MOST_WARNINGS } from './warnings.ts';

/**
 * Lets through the references of a site's pages that may become a warning. The pages of a large site refer to one
 * another 100,000 times, and at most 20 warnings are shown: no more of each sort need to be carried on.
 */
export class ReferenceSieve {
  readonly #site: SitePaths;
  #doubtful: number = 0;
  #absolute: number = 0;

  /** @param paths of all files of the site. */
  constructor(paths: readonly string[]) {
    this.#site = new SitePaths(paths);
  }

  /** Those references of a page that no file answers as they stand, and some that begin with `/`. */
  sift(page: string, references: readonly Reference[]): readonly Reference[] {
    return references.filter((reference) => this.#passes(page, reference));
  }

  #passes(page: string, reference: Reference): boolean {
    if (this.#doubtful >= MOST_WARNINGS && this.#absolute >= MOST_WARNINGS) return false;
    const destination = follow(this.#site, page, reference);
    if (destination.kind === 'elsewhere') return false;
    if (!destination.answered || destination.otherCase !== undefined) {
      this.#doubtful += 1;
      return this.#doubtful <= MOST_WARNINGS;
    }
    if (destination.absolute) this.#absolute += 1;
    return destination.absolute && this.#absolute <= MOST_WARNINGS;
  }
}
