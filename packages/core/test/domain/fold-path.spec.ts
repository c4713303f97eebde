import { expect } from 'chai';
import fc from 'fast-check';
import { foldPath } from '../../src/domain/path-conflicts.ts';

describe('foldPath', () => {
  const same = (a: string, b: string): boolean => foldPath(a) === foldPath(b);

  it('treats upper and lower case as equal', () => {
    for (const [a, b] of [
      ['Index.HTML', 'index.html'],
      ['ÉTÉ', 'été'],
      ['Σ', 'ς'],
      ['\u212a', 'k'],
      ['ſ', 's'],
      ['ẞ', 'ß'],
      ['Ꭰ', 'ꭰ'],
    ] as const) {
      expect(same(a, b), `${a} ${b}`).to.equal(true);
    }
  });

  it('treats composed and decomposed letters as equal', () => {
    expect(same('e\u0301', 'é')).to.equal(true);
  });

  it('distinguishes letters that only a longer mapping, or Turkish, would make the same', () => {
    for (const [a, b] of [
      ['ß', 'ss'],
      ['ﬁ', 'fi'],
      ['ı', 'i'],
      ['İ', 'i'],
    ] as const) {
      expect(same(a, b), `${a} ${b}`).to.equal(false);
    }
  });

  it('folds every character to one that differs at most in case', () => {
    for (let code = 0x80; code < 0x1_10_00; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const composed = String.fromCodePoint(code).normalize('NFC');
      const folded = foldPath(composed);
      if (folded === composed) continue;
      expect(new RegExp(`^${folded}$`, 'iu').test(composed), code.toString(16)).to.equal(true);
    }
  });

  it('folds all characters that differ only in case to one', () => {
    const folds = new Set<string>();
    for (let code = 0x80; code < 0x2_00_00; code += 1) {
      const composed = String.fromCodePoint(code).normalize('NFC');
      if (/^\p{Changes_When_Casemapped}$/u.test(composed)) folds.add(foldPath(composed));
    }
    const all = [...folds].join('');
    for (const fold of folds) expect(all.match(new RegExp(fold, 'giu'))).to.deep.equal([fold]);
  });

  it('has the same result when repeated', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (path) => {
        expect(foldPath(foldPath(path))).to.equal(foldPath(path));
      }),
    );
  });

  it('folds as its definition does, letter by letter', () => {
    const letters = fc.constantFrom(...'aZéÉßẞŉŐﬁﬀﬅﬆΰᾳıİIiΣσςſKǅ日𐐀𐐨🙂ẖe\u0301./-');
    const path = fc.array(fc.oneof(letters, fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 40 });
    fc.assert(
      fc.property(path, (parts) => {
        const name = parts.join('');
        expect(foldPath(name)).to.equal(Array.from(name.normalize('NFC'), foldedLetter).join(''));
      }),
      { numRuns: 2_000 },
    );
  });

  it('folds names of any length, and letters next to one that would become several', () => {
    expect(foldPath('ßÉ'.repeat(10_000))).to.equal('ßé'.repeat(10_000));
    for (let code = 0x80; code < 0x1_10_00; code += 1) {
      const letter = String.fromCodePoint(code).normalize('NFC');
      expect(foldPath(`ß/${letter}`), code.toString(16)).to.equal(`ß/${foldPath(letter)}`);
    }
  });
});

/** Upper case and then lower case, each if the result is one letter. */
function foldedLetter(letter: string): string {
  if (letter === 'ı') return letter;
  if (letter === 'ﬅ') return 'ﬆ';
  const upper = [...letter.toUpperCase()].length === 1 ? letter.toUpperCase() : letter;
  return [...upper.toLowerCase()].length === 1 ? upper.toLowerCase() : upper;
}
