import { foldForSearch } from '@pinfold/core/internal';

/** What is much longer folded than it was. */
export const FOLDED: string = foldForSearch('\ufdfa'.repeat(60));

/** Each title, and the folded texts that find it. */
export const SEARCHES: readonly (readonly [title: string | null, found: readonly string[]])[] = [
  ['Ünder_Score 100% Café', ['ünder_score', '100%', 'r_s', '_', '%', 'café', 'ünder']],
  ['ＡＢＣ\\d [a-z]* "x" \'y\'', ['abc', '\\', '[a-z]*', '"x"', "'y'", 'c\\d']],
  ['ΣΊΣΥΦΟΣ İstanbul Straße 🧭 ①', ['🧭', 'straße 🧭 1', foldForSearch('ΣΊΣΥΦΟΣ'), 'stanbul']],
  ...['1', '2'].map((end) => [`${'x'.repeat(250)}${end}`, [`${'x'.repeat(250)}${end}`]] as const),
  ['\ufdfa'.repeat(60), [FOLDED]],
  [null, []],
];
