import type { ArchiveProblem, Figures } from '@pinfold/core';
import type { Values, Words } from './i18n.ts';
import type { SharedId } from './messages/catalogues.ts';

/** What speaks against publishing an archive: the core's rules, and that it is too large to be received. */
export type ScreenProblem =
  | ArchiveProblem
  | ({ readonly rule: 'archive_too_large' } & Pick<Figures, 'limit'> & Partial<Figures>);

/** One broken rule with everything it concerns. */
export interface ProblemGroup {
  readonly message: SharedId;
  readonly values: Values;
  readonly paths: readonly string[];
  readonly more: number;
}

const SHOWN = 5;

/** Broken rules in the order they came, one group a rule. */
export function groupProblems(
  problems: readonly ScreenProblem[],
  words: Pick<Words<SharedId>, 'has' | 'size' | 'number'>,
): readonly ProblemGroup[] {
  return [...Map.groupBy(problems, ({ rule }) => rule)].map(([rule, own]) => {
    const paths = own.flatMap((problem) => ('path' in problem ? (problem.path ?? []) : []));
    const { limit, actual } = figuresOf(own[0]);
    const figure = rule === 'too_many_files' ? words.number.bind(words) : words.size.bind(words);
    return {
      // A script may be older than the server it talks to.
      message: words.has(rule) ? rule : 'otherRule',
      values: {
        ...(limit === undefined ? {} : { limit: figure(limit) }),
        ...(actual === undefined ? {} : { actual: figure(actual) }),
      },
      paths: paths.slice(0, SHOWN),
      more: Math.max(0, paths.length - SHOWN),
    };
  });
}

function figuresOf(problem: ScreenProblem | undefined): Partial<Figures> {
  return problem !== undefined && 'limit' in problem ? problem : {};
}
