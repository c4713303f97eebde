import { expect } from 'chai';
import fc from 'fast-check';
import { decodePath, encodeRawBytes, splitTarget } from '../src/routing/target.ts';

describe('a request target', () => {
  it('is split at its first question mark', () => {
    expect(splitTarget('/a/b?c=/d?e')).to.deep.equal({ path: '/a/b', query: '?c=/d?e' });
    expect(splitTarget('/a')).to.deep.equal({ path: '/a', query: '' });
  });

  it('is decoded once, as UTF-8', () => {
    expect(decodePath('/caf%C3%A9/%E6%B8%AF.html')).to.equal('/café/港.html');
    expect(decodePath('/%2561')).to.equal('/%61');
    expect(decodePath('/plain')).to.equal('/plain');
  });

  it('may contain unencoded UTF-8, as some clients send it', () => {
    expect(decodePath(Buffer.from('/港').toString('latin1'))).to.equal('/港');
  });

  it('is invalid if it is broken, not UTF-8, or hides a slash', () => {
    for (const path of ['/%', '/%4', '/%zz', '/%FF', '/%C0%AF', '/%ED%A0%80', '/a%2Fb', '/a%2fb', '/\xff']) {
      expect(decodePath(path), path).to.equal(undefined);
    }
  });

  it('of any name decodes to that name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        fc.pre(!name.includes('/'));
        expect(decodePath(`/${encodeURIComponent(name)}`)).to.equal(`/${name}`);
      }),
    );
  });

  it('can be written into a header with any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const raw = Buffer.from(bytes).toString('latin1');
        expect(encodeRawBytes(raw)).to.match(/^[\x21-\x7e]*$/);
      }),
    );
    expect(encodeRawBytes('/\xea?\n%2f')).to.equal('/%EA?%0A%2f');
  });
});
