import { expect } from 'chai';
import fc from 'fast-check';
import {
  foldForSearch,
  hasBrokenCharacter,
  hasControlCharacter,
  hasManyMarks,
  utf8Length,
} from '../../src/domain/text.ts';
import { defaultLimits, parseTitle } from '../../src/index.ts';
import { codePoints } from '../../src/internal.ts';

describe('text', () => {
  it('is counted in code points', () => {
    expect(codePoints('')).to.equal(0);
    expect(codePoints('a𠮷é')).to.equal(3);
  });
  it('has the length in UTF-8 that encoders give it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(utf8Length(text)).to.equal(new TextEncoder().encode(text).length);
      }),
    );
    for (const edge of [
      '\u007f',
      '\u0080',
      '\u07ff',
      '\u0800',
      '\uffff',
      '\u{10000}',
      '\ud800',
      '\udc00\ud800a',
      'a\udc00',
      '\ud800\ud800\udc00',
    ]) {
      expect(utf8Length(edge)).to.equal(new TextEncoder().encode(edge).length);
    }
  });
  it('is searched whatever its case and width', () => {
    // Stores contain this form, so it must never change.
    expect(foldForSearch('ＡＢＣ ｶﾞ')).to.equal('abc ガ');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(foldForSearch(foldForSearch(text))).to.equal(foldForSearch(text));
      }),
    );
  });
  it('may have up to 30 combining marks in a row', () => {
    const mark = '\u0301';
    expect(hasManyMarks(`a${mark.repeat(30)}b${mark.repeat(30)}`)).to.equal(false);
    expect(hasManyMarks(`a${mark.repeat(31)}`)).to.equal(true);
  });
  it('is broken by half a surrogate pair, and by the replacement character', () => {
    for (const text of ['\ud800', 'a\udc00b', '\ufffd']) expect(hasBrokenCharacter(text)).to.equal(true);
    expect(hasBrokenCharacter('a𠮷')).to.equal(false);
  });
  it('has a control character if it has one of C0 or C1, or DEL', () => {
    for (const text of ['\0', 'a\n', '\u007f', '\u009f']) expect(hasControlCharacter(text)).to.equal(true);
    for (const text of ['', 'a b', '\u00a0', '\u202e']) expect(hasControlCharacter(text)).to.equal(false);
  });
});

function ruleOf(value: unknown): string | undefined {
  const title = parseTitle(value, defaultLimits);
  return title !== null && typeof title === 'object' ? `${title.code}/${title.rule}` : undefined;
}

describe('a title', () => {
  it('is cleared by the empty string and by null', () => {
    expect(parseTitle('', defaultLimits)).to.equal(null);
    expect(parseTitle(null, defaultLimits)).to.equal(null);
  });
  it('is stored as written', () => {
    const title = ' 春のカタログ e\u0301ｘ 🌸 ';
    expect(parseTitle(title, defaultLimits)).to.equal(title);
  });
  it('has at most 255 code points, whatever they take in UTF-16', () => {
    expect(parseTitle('𠮷'.repeat(255), defaultLimits)).to.be.a('string');
    expect(ruleOf('𠮷'.repeat(256))).to.equal('invalid_title/too_long');
    expect(ruleOf('a'.repeat(256))).to.equal('invalid_title/too_long');
  });
  it('reports the limit and the actual length', () => {
    expect(parseTitle('a'.repeat(300), defaultLimits)).to.include({ limit: 255, actual: 300 });
  });
  for (const [what, value] of [
    ['a NUL', 'a\0b'],
    ['a line break', 'a\nb'],
    ['DEL', 'a\u007fb'],
    ['a C1 control', 'a\u0085b'],
  ] as const) {
    it(`has no control character: ${what}`, () => {
      expect(ruleOf(value)).to.equal('invalid_title/control_character');
    });
  }
  it('has no lone surrogate', () => {
    expect(ruleOf('a\ud800')).to.equal('invalid_title/encoding');
    expect(ruleOf('\udc00a')).to.equal('invalid_title/encoding');
  });
  it('is a string', () => {
    for (const value of [0, false, undefined, [], {}, ['a']])
      expect(ruleOf(value)).to.equal('invalid_title/type');
  });
});
