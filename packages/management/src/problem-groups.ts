import type { ArchiveRule, Problem } from '@pinfold/core';
import type { rules } from './messages/en/rules.ts';
import type { Values, Words } from './words.ts';

type RuleMessage = keyof typeof rules;

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
  archive_too_large: 'archiveTooLarge',
} as const satisfies Record<ArchiveRule | 'archive_too_large', RuleMessage>;

/** Broken rules in the order they came, one group a rule. It runs on the server and in the browser alike. */
export function groupProblems(
  problems: readonly Problem[],
  words: Pick<Words<RuleMessage>, 'size' | 'number'>,
): readonly ProblemGroup[] {
  const rules = [...new Set(problems.map(({ rule }) => rule))];
  return rules.map((rule) => {
    const own = problems.filter((problem) => problem.rule === rule);
    const paths = own.flatMap(({ path }) => (path === undefined ? [] : [path]));
    const [{ limit, actual } = {}] = own;
    const figure = rule === 'too_many_files' ? words.number.bind(words) : words.size.bind(words);
    return {
      message: rule in RULE_MESSAGES ? RULE_MESSAGES[rule as keyof typeof RULE_MESSAGES] : 'otherRule',
      values: {
        ...(limit === undefined ? {} : { limit: figure(limit) }),
        ...(actual === undefined ? {} : { actual: figure(actual) }),
      },
      paths: paths.slice(0, SHOWN),
      more: Math.max(0, paths.length - SHOWN),
    };
  });
}
