import type { ArchiveProblem, ArchiveRule } from '@pinfold/core';

/** A broken rule, about one entry where there is a path. */
export function zipProblem(rule: ArchiveRule, detail: string, path?: string): ArchiveProblem {
  return path === undefined ? { rule, detail } : { rule, detail, path };
}
