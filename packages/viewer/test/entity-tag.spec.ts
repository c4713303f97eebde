import { expect } from 'chai';
import fc from 'fast-check';
import { matchesStrongly, matchesWeakly } from '../src/sending/negotiation.ts';

describe('If-None-Match', () => {
  it('matches the tag alone, in a list, weak, or anything', () => {
    for (const header of [
      '"a-1"',
      'W/"a-1"',
      '"b", "a-1"',
      '"b",W/"a-1" , "c"',
      '*',
      ' * ',
      '"a,b", "a-1"',
    ]) {
      expect(matchesWeakly(header, '"a-1"'), header).to.equal(true);
    }
  });

  it('matches nothing else', () => {
    for (const header of ['', '"a-1-gzip"', '"b"', 'a-1', '"A-1"', '"x"a-1"y"', '"**"', 'w/']) {
      expect(matchesWeakly(header, '"a-1"'), header).to.equal(false);
    }
  });

  it('is read without harm, whatever it is', () => {
    fc.assert(fc.property(fc.string(), (header) => void matchesWeakly(header, '"a"')));
  });
});

describe('If-Match', () => {
  it('takes no weak tag', () => {
    expect(matchesStrongly('"a"', ['"b"', '"a"'])).to.equal(true);
    expect(matchesStrongly('*', ['"a"'])).to.equal(true);
    expect(matchesStrongly('W/"a"', ['"a"'])).to.equal(false);
    expect(matchesStrongly('"c"', ['"a"'])).to.equal(false);
  });
});
