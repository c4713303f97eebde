import type { Figures, NoDetails } from '@pinfold/core';
import { expect } from 'chai';
import { type Sentences, sentenceOf } from '../src/problems/rule-sentences.ts';

interface Rules {
  readonly plain: NoDetails;
  readonly too_long: Figures;
}

const SENTENCES: Sentences<Rules> = {
  plain: 'Plainly not.',
  too_long: ({ limit, actual }) => `${actual} are more than ${limit}.`,
};

// @ts-expect-error a rule without its sentence
export const incomplete: Sentences<Rules> = { plain: 'Plainly not.' };

describe('The sentence of a broken rule', () => {
  it('is the one of its table, with what the rule tells', () => {
    expect(sentenceOf(SENTENCES, { rule: 'plain' })).to.equal('Plainly not.');
    expect(sentenceOf(SENTENCES, { rule: 'too_long', limit: 1, actual: 2 })).to.equal('2 are more than 1.');
  });
});
