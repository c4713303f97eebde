import { expect } from 'chai';
import { defaultLimits, parsePassword } from '../../src/index.ts';
import { parseGuess } from '../../src/internal.ts';

function ruleOf(value: unknown): string | undefined {
  const password = parsePassword(value, defaultLimits);
  const refused = password !== null && typeof password === 'object';
  return refused ? `${password.code}/${password.rule}` : undefined;
}

describe('a password', () => {
  it('is removed by the empty string and by null', () => {
    expect(parsePassword('', defaultLimits)).to.equal(null);
    expect(parsePassword(null, defaultLimits)).to.equal(null);
  });
  it('has at least 8 characters, counted as code points', () => {
    expect(parsePassword('12345678', defaultLimits)).to.equal('12345678');
    expect(ruleOf('1234567')).to.equal('invalid_password/too_short');
    expect(ruleOf('🔑'.repeat(7))).to.equal('invalid_password/too_short');
    expect(ruleOf('🔑'.repeat(8))).to.equal(undefined);
  });
  it('has at most 72 bytes in UTF-8', () => {
    expect(ruleOf('a'.repeat(72))).to.equal(undefined);
    expect(ruleOf('a'.repeat(73))).to.equal('invalid_password/too_long');
    expect(ruleOf('鍵'.repeat(24))).to.equal(undefined);
    expect(ruleOf('鍵'.repeat(25))).to.equal('invalid_password/too_long');
    expect(ruleOf('🔑'.repeat(18))).to.equal(undefined);
    expect(ruleOf('🔑'.repeat(19))).to.equal('invalid_password/too_long');
    expect(ruleOf('é'.repeat(37))).to.equal('invalid_password/too_long');
  });
  it('is refused with the limit and its length if it is too short or too long', () => {
    const refusalOf = (value: unknown) => parsePassword(value, defaultLimits);
    expect(refusalOf('🔑'.repeat(7))).to.include({ limit: 8, actual: 7 });
    expect(refusalOf('é'.repeat(40))).to.include({ limit: 72, actual: 80 });
    expect(refusalOf(1)).to.have.all.keys('kind', 'code', 'rule');
  });
  it('is measured as sent, and normalized to NFC', () => {
    const decomposed = 'e\u0301'.repeat(4);
    expect(parsePassword(decomposed, defaultLimits)).to.equal('é'.repeat(4));
  });
  it('is never trimmed', () => {
    expect(parsePassword('  spaces  ', defaultLimits)).to.equal('  spaces  ');
  });
  it('has no lone surrogate and is a string', () => {
    expect(ruleOf('12345678\ud800')).to.equal('invalid_password/encoding');
    for (const value of [12345678, true, {}, ['12345678'], undefined]) {
      expect(ruleOf(value)).to.equal('invalid_password/type');
    }
  });
});

describe("a viewer's guess", () => {
  it('is compared in NFC', () => {
    expect(parseGuess('e\u0301')).to.equal('é');
  });
  it('is hashed if it has at most 1,024 bytes; a longer one is wrong without hashing', () => {
    expect(parseGuess('a'.repeat(1_024))).to.be.a('string');
    expect(parseGuess('a'.repeat(1_025))).to.equal(undefined);
    expect(parseGuess('鍵'.repeat(342))).to.equal(undefined);
  });
  it('is wrong without hashing if it cannot be a password', () => {
    expect(parseGuess('')).to.equal(undefined);
    expect(parseGuess('abc\ud800')).to.equal(undefined);
  });
});
