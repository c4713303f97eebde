import { expect } from 'chai';
import fc from 'fast-check';
import {
  matchesStrongly,
  matchesWeakly,
  parseRange,
  parseWeighted,
  preferredLanguage,
  prefersGzip,
} from '../src/negotiation.ts';

const languageOf = (header: string | undefined) => preferredLanguage(header, ['en', 'ja']);

describe('Accept-Language', () => {
  it('asks for Japanese', () => {
    for (const header of [
      'ja',
      'ja-JP',
      'JA',
      'fr, ja;q=0.5',
      'en;q=0.4, ja;q=0.5',
      'ja, en',
      'en;q=0, ja;q=0.1',
      'en;q=0.1, ja',
    ]) {
      expect(languageOf(header), header).to.equal('ja');
    }
  });

  it('asks for English, or for no offered language', () => {
    for (const header of [
      undefined,
      '',
      'en',
      'en-GB, ja',
      'fr',
      'ja;q=0',
      'ja;q=0.2, en;q=0.3',
      '*, ja;q=0.9',
      ';;;,,q=',
      'jav',
      'jam-JM',
    ]) {
      expect(languageOf(header), header).to.equal('en');
    }
  });

  it('counts as absent if it is longer than a KiB', () => {
    expect(languageOf('ja,'.padEnd(1_024))).to.equal('ja');
    expect(languageOf('ja,'.padEnd(1_025))).to.equal('en');
  });

  it('is read without an error for any text', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(['en', 'ja']).to.include(languageOf(header));
      }),
    );
  });
});

describe('A list with quality values', () => {
  it('is read with its weights; an invalid one counts as 0', () => {
    expect(parseWeighted('GZIP, br;q=0.5;x=1, a; Q = 1, ,b;q=2,c;q=')).to.deep.equal([
      { value: 'gzip', weight: 1 },
      { value: 'br', weight: 0.5 },
      { value: 'a', weight: 1 },
      { value: 'b', weight: 0 },
      { value: 'c', weight: 0 },
    ]);
  });
});

describe('Accept-Encoding', () => {
  it('prefers gzip', () => {
    for (const header of [
      'gzip',
      'gzip, deflate, br, zstd',
      'br;q=1.0, gzip;q=0.8, *;q=0.1',
      'GZIP',
      'x-gzip',
      '*',
      'identity;q=0.5, *;q=0.8',
      'identity, gzip',
      'gzip;q=0.001, identity;q=0',
      ' gzip ; Q=0.7',
      'gzip,'.padEnd(1_024),
    ]) {
      expect(prefersGzip(header), header).to.equal(true);
    }
  });

  it('lacks gzip, or prefers no coding', () => {
    for (const header of [
      undefined,
      'gzip,'.padEnd(1_025),
      '',
      'br',
      'identity',
      'gzip;q=0',
      'gzip;q=0.000, *;q=1',
      'x-gzip;q=0',
      'identity;q=1, *;q=0',
      'gzip;q=0.5, identity;q=1',
      'gzip;q=2',
      'gzip;q=nonsense',
      'gzipped',
    ]) {
      expect(prefersGzip(header), header).to.equal(false);
    }
  });

  it('gives the same result each time, for any number of headers', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(prefersGzip(header)).to.equal(prefersGzip(header));
      }),
      { numRuns: 600 },
    );
  });
});

const part = (first: number, last: number) => ({ from: first, to: last + 1 });

describe('a Range header', () => {
  it('asks for a part', () => {
    expect(parseRange('bytes=0-0', 10)).to.deep.equal(part(0, 0));
    expect(parseRange('bytes=2-5', 10)).to.deep.equal(part(2, 5));
    expect(parseRange('bytes=5-', 10)).to.deep.equal(part(5, 9));
    expect(parseRange('bytes=5-99', 10)).to.deep.equal(part(5, 9));
    expect(parseRange('bytes=-3', 10)).to.deep.equal(part(7, 9));
    expect(parseRange('bytes=-30', 10)).to.deep.equal(part(0, 9));
    expect(parseRange('Bytes = 1-2 ,', 10)).to.deep.equal(part(1, 2));
    expect(parseRange(`bytes=0-${'9'.repeat(400)}`, 10)).to.deep.equal(part(0, 9));
  });

  it('asks for missing bytes', () => {
    for (const header of ['bytes=10-', 'bytes=10-20', 'bytes=-0', `bytes=${'9'.repeat(400)}-`]) {
      expect(parseRange(header, 10), header).to.deep.equal({ from: 10, to: 10 });
    }
  });

  it('is answered with the whole if it is unreadable, has another unit, or asks for several parts', () => {
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
      expect(parseRange(header, 10), header).to.equal(undefined);
    }
    for (const header of ['bytes=-5', 'bytes=-0', 'bytes=0-', 'bytes=3-4']) {
      expect(parseRange(header, 0), header).to.equal(undefined);
    }
  });

  it('never leaves the body', () => {
    const position = fc.oneof(fc.nat().map(String), fc.constant(''), fc.string());
    fc.assert(
      fc.property(position, position, fc.nat({ max: 100 }), (from, to, size) => {
        const range = parseRange(`bytes=${from}-${to}`, size);
        if (range === undefined) return;
        expect(range.from).to.be.within(0, range.to);
        expect(range.to).to.be.at.most(size);
      }),
    );
  });
});

describe('If-None-Match', () => {
  it('matches only the tag, in a list, weak, or anything', () => {
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
    for (const header of [
      '',
      '"a-1-gzip"',
      '"b"',
      'a-1',
      '"A-1"',
      '"x"a-1"y"',
      '"**"',
      'w/',
      '"a-1',
      '"b", "a-1',
      'a-1"',
    ]) {
      expect(matchesWeakly(header, '"a-1"'), header).to.equal(false);
    }
  });

  it('is read without an error for any text', () => {
    fc.assert(fc.property(fc.string(), (header) => void matchesWeakly(header, '"a"')));
  });
});

describe('If-Match', () => {
  it('matches no weak tag', () => {
    expect(matchesStrongly('"a"', ['"b"', '"a"'])).to.equal(true);
    expect(matchesStrongly('*', ['"a"'])).to.equal(true);
    expect(matchesStrongly('W/"a"', ['"a"'])).to.equal(false);
    expect(matchesStrongly('"c", W/"a"', ['"a"'])).to.equal(false);
    expect(matchesStrongly('W/"a", "a"', ['"a"'])).to.equal(true);
    expect(matchesStrongly('"c"', ['"a"'])).to.equal(false);
  });
});
