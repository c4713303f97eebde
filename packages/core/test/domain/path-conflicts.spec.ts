import { expect } from 'chai';
import fc from 'fast-check';
import { findPathConflicts, foldPath, runToEnd } from '../../src/domain/path-conflicts.ts';

type Named = { readonly name: string };
const conflictsOf = (entries: readonly Named[], files: readonly Named[]) =>
  runToEnd(findPathConflicts(entries, files));

describe('findPathConflicts', () => {
  it('finds the same conflicts as a comparison of every pair of names', () => {
    const segment = fc.constantFrom('a', 'b', 'ab', 'ba');
    const name = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => ({
      name: segments.join('/'),
    }));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), (files) => {
        const expected = files.filter((file) =>
          files.some((other) => other.name.startsWith(`${file.name}/`)),
        );
        expect(conflictsOf(files, files)).to.deep.equal(expected);
      }),
    );
  });

  it('takes time linear in the length of all names, however many and deep they are', () => {
    // A search whose time grows with the square of their number would not end within the test's limit.
    const deep = 'a/'.repeat(500);
    const files = Array.from({ length: 10_000 }, (_, n) => ({ name: `${deep}${n}` }));
    expect(conflictsOf(files, files)).to.deep.equal([]);
  });

  it('takes no longer if many names are the same, have the same hash or are folders of each other', () => {
    let sameHash = [''];
    for (let n = 0; n < 18; n += 1) sameHash = sameHash.flatMap((name) => [`${name}Aa`, `${name}BB`]);
    const [files, folders] = [sameHash.slice(2 ** 17), sameHash.slice(0, 2 ** 17)].map((names) =>
      names.map((name) => ({ name })),
    ) as [Named[], Named[]];
    const below = folders.map(({ name }) => ({ name: `${name}/a` }));
    expect(conflictsOf([...files, ...below], files)).to.deep.equal([]);
    const [file] = files;
    const same = Array<Named>(200_000).fill(file as Named);
    const entries = same.map(({ name }) => ({ name: `${name}/a` }));
    expect(conflictsOf(entries, [...same, ...files])).to.have.lengthOf(200_001);
    const deep = Buffer.alloc(6_000, 'a/').toString('latin1');
    const parents = Array.from({ length: 3_000 }, (_, n) => ({ name: deep.slice(0, 2 * n + 1) }));
    const deepest = parents.map((_, n) => ({ name: Buffer.from(`${deep}${n}`).toString('latin1') }));
    expect(conflictsOf(deepest, parents)).to.deep.equal(parents);
  });

  it('finds a file that a folder entry names', () => {
    const file = { name: 'a' };
    expect(conflictsOf([file, { name: 'a/' }], [file])).to.deep.equal([file]);
  });

  it('distinguishes two paths with the same hash', () => {
    const file = { name: 'Aa' };
    expect(conflictsOf([file, { name: 'BB/c' }], [file])).to.deep.equal([]);
    const start = { name: '\0' };
    expect(conflictsOf([start, { name: '\0\0/c' }], [start])).to.deep.equal([]);
  });
});

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
