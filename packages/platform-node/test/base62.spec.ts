import { expect } from 'chai';
import { randomBase62 } from '../src/node-secrets.ts';

describe('randomBase62', () => {
  it('writes 256 bits in 43 digits and 64 in 11, whatever the number', () => {
    for (let n = 0; n < 5_000; n += 1) {
      expect(randomBase62(32)).to.match(/^[0-9A-Za-z]{43}$/);
      expect(randomBase62(8)).to.match(/^[0-9A-Za-z]{11}$/);
    }
  });

  it('uses every digit in every place', () => {
    const seen = Array.from({ length: 43 }, () => new Set<string>());
    for (let n = 0; n < 3_000; n += 1) {
      for (const [place, digit] of [...randomBase62(32)].entries()) seen[place]?.add(digit);
    }
    const digits = seen.map((set) => set.size);
    // 2^256 is a little less than 62^43, so that the first digit has nearly all of them too.
    expect(Math.min(...digits.slice(1))).to.equal(62);
    expect(digits[0]).to.be.within(60, 62);
  });
});
