import type { RuleDetails } from '@pinfold/core';

/** What a door says of each rule: a sentence, or one made of what the rule tells. A rule left out does not compile. */
export type Sentences<Rules> = {
  readonly [Rule in keyof Rules]: string | ((told: Rules[Rule]) => string);
};

export function sentenceOf<Rules>(sentences: Sentences<Rules>, told: RuleDetails<Rules>): string {
  const sentence: string | ((own: never) => string) = sentences[told.rule];
  return typeof sentence === 'string' ? sentence : sentence(told as never);
}
