import type { ArchiveProblem, ArchiveRule } from './archive-problems.ts';

/** The most problems of one rule: an archive within the limits has no more. */
const MAX_OF_A_RULE = 1_000;

/**
 * The broken rules of one archive, as they are found: the first 1,000 problems of each rule, and the number of the
 * others. An archive of 10 MiB can have some 100,000 problems, and only a few are ever shown.
 *
 * @example
 * import { ProblemList } from '@pinfold/core/adapter';
 *
 * const found = new ProblemList();
 * for (let n = 0; n < 1_250; n += 1) found.add([{ rule: 'corrupt_data', path: `${n}.txt` }]);
 * found.listed.length; // 1000
 * found.omitted; // 250
 */
export class ProblemList {
  readonly #counts = new Map<ArchiveRule, number>();
  readonly #listed: ArchiveProblem[] = [];
  #omitted = 0;

  get listed(): readonly ArchiveProblem[] {
    return this.#listed;
  }

  get omitted(): number {
    return this.#omitted;
  }

  has(rule: ArchiveRule): boolean {
    return this.#counts.has(rule);
  }

  /** Adds problems; `omitted` is how many more their finder counted without keeping them. */
  add(problems: Iterable<ArchiveProblem>, omitted = 0): void {
    this.#omitted += omitted;
    for (const problem of problems) {
      const count = (this.#counts.get(problem.rule) ?? 0) + 1;
      this.#counts.set(problem.rule, count);
      if (count <= MAX_OF_A_RULE) this.#listed.push(problem);
      else this.#omitted += 1;
    }
  }
}
