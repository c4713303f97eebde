import { expect } from 'chai';
import fc from 'fast-check';
import { rangeOf } from '../src/sending/negotiation.ts';

const part = (first: number, last: number) => ({ kind: 'part', first, last });

describe('a Range header', () => {
  it('asks for a part', () => {
    expect(rangeOf('bytes=0-0', 10)).to.deep.equal(part(0, 0));
    expect(rangeOf('bytes=2-5', 10)).to.deep.equal(part(2, 5));
    expect(rangeOf('bytes=5-', 10)).to.deep.equal(part(5, 9));
    expect(rangeOf('bytes=5-99', 10)).to.deep.equal(part(5, 9));
    expect(rangeOf('bytes=-3', 10)).to.deep.equal(part(7, 9));
    expect(rangeOf('bytes=-30', 10)).to.deep.equal(part(0, 9));
    expect(rangeOf('Bytes = 1-2 ,', 10)).to.deep.equal(part(1, 2));
    expect(rangeOf(`bytes=0-${'9'.repeat(400)}`, 10)).to.deep.equal(part(0, 9));
  });

  it('asks for what is not there', () => {
    for (const header of ['bytes=10-', 'bytes=10-20', 'bytes=-0', `bytes=${'9'.repeat(400)}-`]) {
      expect(rangeOf(header, 10), header).to.deep.equal({ kind: 'unsatisfiable' });
    }
    expect(rangeOf('bytes=0-', 0)).to.deep.equal({ kind: 'unsatisfiable' });
  });

  it('is answered with the whole when it cannot be read, has another unit, or asks for several parts', () => {
    for (const header of [
      '',
      'bytes',
      'bytes=',
      'bytes=-',
      'bytes=5-2',
      'bytes=a-b',
      'bytes=0x1-2',
      'bytes=-1-2',
      'pages=1-2',
      'bytes=0-0,2-3',
      'bytes=0-0,-1',
      'bytes: 0-1',
    ]) {
      expect(rangeOf(header, 10), header).to.deep.equal({ kind: 'whole' });
    }
    expect(rangeOf('bytes=-5', 0)).to.deep.equal({ kind: 'whole' });
  });

  it('never leaves the body', () => {
    const position = fc.oneof(fc.nat().map(String), fc.constant(''), fc.string());
    fc.assert(
      fc.property(position, position, fc.nat({ max: 100 }), (from, to, size) => {
        const range = rangeOf(`bytes=${from}-${to}`, size);
        if (range.kind !== 'part') return;
        expect(range.first).to.be.within(0, range.last);
        expect(range.last).to.be.below(size);
      }),
    );
  });
});
