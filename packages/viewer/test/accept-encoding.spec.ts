import { expect } from 'chai';
import fc from 'fast-check';
import { acceptsGzip } from '../src/sending/negotiation.ts';

describe('Accept-Encoding', () => {
  it('has gzip in it', () => {
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
    ]) {
      expect(acceptsGzip(header), header).to.equal(true);
    }
  });

  it('has it not, or likes it less than none', () => {
    for (const header of [
      undefined,
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
      expect(acceptsGzip(header), header).to.equal(false);
    }
  });

  it('is read alike each time, and however many kinds there are', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(acceptsGzip(header)).to.equal(acceptsGzip(header));
      }),
      { numRuns: 600 },
    );
  });
});
