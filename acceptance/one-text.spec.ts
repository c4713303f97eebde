import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FINDING_TEXTS, INPUT_TEXTS, REFUSAL_TEXTS, type Text } from '@pinfold/http/internal/texts';
import { expect } from 'chai';

const ROOT = join(import.meta.dirname, '..');
const CATALOGUE: Readonly<Record<string, Text>> = { ...FINDING_TEXTS, ...INPUT_TEXTS, ...REFUSAL_TEXTS };

/** Words that do not show the subject of a sentence. */
const STOP_WORDS = new Set(
  'a an and are as at be but by can for from has have in is it its no not of on one or that the then this to too up was with you your'.split(
    ' ',
  ),
);

/** Sentences that are not refusals, but have the same subject as one. */
const OTHERS: readonly RegExp[] = [
  /^Leave it pinned, or unpin it/,
  /^Publish the site again and share/,
  /^The same publication is still running$/,
  /^The password was removed\./,
  /^At least \{characters\} characters\./,
  /^succeed if there is no such name$/,
  /now shows a publication without a password/,
  /^\$\{option\} needs 1 to 255 characters/,
];

function wordsOf(sentence: string): ReadonlySet<string> {
  const words = sentence.toLowerCase().match(/[a-z][a-z-]+/g) ?? [];
  return new Set(
    words.filter((word) => !STOP_WORDS.has(word)).map((word) => word.replace(/(?:es|ed|s|d)$/, '')),
  );
}

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((word) => other.has(word)).length;
  return common / (one.size + other.size - common);
}

/** The sentences in the string literals of the API, the viewer and the screen. */
function ownSentences(): readonly (readonly [file: string, sentence: string])[] {
  const files = globSync('packages/{http,http-express,management,mcp,pinfold,viewer}/{src,browser}/**/*.ts', {
    cwd: ROOT,
    exclude: ['**/texts/**', '**/openapi/**'],
  });
  return files.flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8').replaceAll(/^\s*(?:\*|\/\/|\/\*\*).*$/gm, '');
    const literals = source.match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? [];
    return literals
      .filter((text) => wordsOf(text).size >= 4)
      .map((text) => [file, text.slice(1, -1)] as const);
  });
}

describe('the text of a refusal', () => {
  it('is in the catalogue of all doors in both languages, with the same values', () => {
    for (const [id, { en, ja }] of Object.entries(CATALOGUE)) {
      const values = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();
      expect(values(ja), id).to.deep.equal(values(en));
      expect(en, id).not.to.match(/[\u3040-\u30ff\u4e00-\u9fff]/);
    }
  });

  it('is the sentence of the catalogue in the API, the viewer and the screen', () => {
    const known = Object.entries(CATALOGUE).map(([id, { en }]) => [id, wordsOf(en)] as const);
    const isOther = (sentence: string) => OTHERS.some((pattern) => pattern.test(sentence));
    const all = ownSentences();
    const unused = OTHERS.filter((pattern) => !all.some(([, sentence]) => pattern.test(sentence)));
    expect(unused, 'exceptions without a sentence').to.deep.equal([]);
    const own = all.filter(([, sentence]) => !isOther(sentence));
    const second = own.flatMap(([file, sentence]) =>
      known
        .filter(([, words]) => words.size >= 4 && likeness(words, wordsOf(sentence)) >= 0.5)
        .map(([id]) => `${file}: "${sentence}" repeats ${id}`),
    );
    expect(second).to.deep.equal([]);
  });
});
