import { follow, SitePaths } from './judge-reference.ts';
import type { Reference } from './observations.ts';
import { MOST_WARNINGS } from './warnings.ts';

/** Bounds the memory that pages full of references can take. */
const MOST_KNOWN = 10_000;

/**
 * Lets through the references of a site's pages that may become a warning. The pages of a large site refer to one
 * another 100,000 times, and at most 20 warnings are shown: no more of each sort need to be carried on.
 */
export class ReferenceSieve {
  readonly #site: SitePaths;
  /** What was found out about a reference, by its folder where it is relative; large sites repeat theirs on each page. */
  readonly #known: Map<string, 'plain' | 'doubtful' | 'absolute'> = new Map();
  #doubtful: number = 0;
  #absolute: number = 0;

  /** @param paths of all files of the site. */
  constructor(paths: readonly string[]) {
    this.#site = new SitePaths(paths);
  }

  /** Those references of a page that no file answers as they stand, and some that begin with `/`. */
  sift(page: string, references: readonly Reference[]): readonly Reference[] {
    const folder = page.slice(0, page.lastIndexOf('/') + 1);
    return references.filter((reference) => this.#passes(page, folder, reference));
  }

  #passes(page: string, folder: string, reference: Reference): boolean {
    switch (this.#kindOf(page, folder, reference)) {
      case 'plain':
        return false;
      case 'doubtful':
        this.#doubtful += 1;
        return this.#doubtful <= MOST_WARNINGS;
      case 'absolute':
        this.#absolute += 1;
        return this.#absolute <= MOST_WARNINGS;
    }
  }

  #kindOf(page: string, folder: string, reference: Reference): 'plain' | 'doubtful' | 'absolute' {
    const { target, navigation } = reference;
    const key = `${navigation ? 'a' : 'b'}${target.startsWith('/') ? '' : folder}\n${target}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const destination = follow(this.#site, page, reference);
    const doubtful = destination.kind === 'inside' && (!destination.answered || destination.otherCase);
    const absolute = destination.kind === 'inside' && destination.absolute;
    const kind = doubtful ? 'doubtful' : absolute ? 'absolute' : 'plain';
    if (this.#known.size < MOST_KNOWN) this.#known.set(key, kind);
    return kind;
  }
}
