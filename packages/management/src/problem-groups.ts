import type { ArchiveProblem, Figures } from '@pinfold/core';
import type { Values, Words } from './i18n.ts';
import type { rules } from './messages/en.ts';

type RuleMessage = keyof typeof rules;

/** What speaks against publishing an archive: the core's rules, and that it is too large to be received. */
export type ScreenProblem =
  | ArchiveProblem
  | ({ readonly rule: 'archive_too_large' } & Pick<Figures, 'limit'> & Partial<Figures>);

/** One broken rule with everything it concerns. */
export interface ProblemGroup {
  readonly message: RuleMessage;
  readonly values: Values;
  /** The first few files. */
  readonly paths: readonly string[];
  /** How many files more there are. */
  readonly more: number;
}

const SHOWN = 5;

const RULE_MESSAGES = {
  not_a_zip: 'notAZip',
  truncated: 'truncated',
  encrypted: 'encrypted',
  symlink: 'symlink',
  special_file: 'specialFile',
  unsafe_path: 'unsafePath',
  bad_encoding: 'badEncoding',
  forbidden_name: 'forbiddenName',
  missing_index: 'missingIndex',
  too_many_files: 'tooManyFiles',
  file_too_large: 'fileTooLarge',
  expanded_too_large: 'expandedTooLarge',
  duplicate_path: 'duplicatePath',
  path_conflict: 'pathConflict',
  unsupported_compression: 'unsupportedCompression',
  corrupt_data: 'corruptData',
  header_mismatch: 'headerMismatch',
  overlapping_entries: 'overlappingEntries',
  ambiguous_structure: 'ambiguousStructure',
  forbidden_content: 'forbiddenContent',
  archive_too_large: 'archiveTooLarge',
} as const satisfies Record<ScreenProblem['rule'], RuleMessage>;

/** Broken rules in the order they came, one group a rule. It runs on the server and in the browser alike. */
export function groupProblems(
  problems: readonly ScreenProblem[],
  words: Pick<Words<RuleMessage>, 'size' | 'number'>,
): readonly ProblemGroup[] {
  return [...Map.groupBy(problems, ({ rule }) => rule)].map(([rule, own]) => {
    const paths = own.flatMap((problem) => ('path' in problem ? (problem.path ?? []) : []));
    const { limit, actual } = figuresOf(own[0]);
    const figure = rule === 'too_many_files' ? words.number.bind(words) : words.size.bind(words);
    return {
      // A script may be older than the server it talks to.
      message: RULE_MESSAGES[rule] ?? 'otherRule',
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
