import type { RuleDetails } from '@pinfold/core';

/** What a door says of each rule: a sentence, or one made of what the rule tells. A rule left out does not compile. */
export type Sentences<Rules> = {
  readonly [Rule in keyof Rules]: string | ((told: Rules[Rule]) => string);
};

/**
 * The sentence of a broken rule.
 *
 * @example
 * import type { Figures } from '@pinfold/core';
 * import { type Sentences, sentenceOf } from '@pinfold/http/internal';
 *
 * interface Rules {
 *   readonly too_long: Figures;
 * }
 * const sentences: Sentences<Rules> = {
 *   too_long: ({ limit }) => `Use at most ${limit} characters.`,
 * };
 * sentenceOf(sentences, { rule: 'too_long', limit: 255, actual: 300 });
 */
export function sentenceOf<Rules>(sentences: Sentences<Rules>, told: RuleDetails<Rules>): string {
  const sentence: string | ((own: never) => string) = sentences[told.rule];
  return typeof sentence === 'string' ? sentence : sentence(told as never);
}
