import { expect } from 'chai';
import { defaultLimits, parseTitle } from '../../src/index.ts';

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
