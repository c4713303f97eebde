import { expect } from 'chai';
import fc from 'fast-check';
import { cookieValues, setCookie } from '../src/cookies.ts';

describe('a Cookie header', () => {
  it('gives every value of the name, and of no other', () => {
    const header = 'a=1; grant=x; Grant=no; grant=; xgrant=no; grant=y=z;grant = w ; grant';
    expect(cookieValues(header, 'grant')).to.deep.equal(['x', '', 'y=z', 'w']);
    expect(cookieValues(undefined, 'grant')).to.deep.equal([]);
    expect(cookieValues('', 'grant')).to.deep.equal([]);
  });

  it('gives ours wherever siblings planted theirs', () => {
    const noise = fc.string().map((text) => text.replaceAll(';', ''));
    fc.assert(
      fc.property(fc.array(noise), fc.array(noise), (before, behind) => {
        const header = [...before, 'grant=ours', ...behind].join('; ');
        expect(cookieValues(header, 'grant')).to.include('ours');
      }),
    );
  });
});

describe('a Set-Cookie line', () => {
  it('is for this host alone, hidden from scripts, and Secure where that is meant', () => {
    expect(setCookie({ name: '__Host-g', path: '/', secure: true }, 'v', 60)).to.equal(
      '__Host-g=v; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax',
    );
    expect(setCookie({ name: 'g', path: '/s/1', secure: false }, '', 0)).to.equal(
      'g=; Path=/s/1; Max-Age=0; HttpOnly; SameSite=Lax',
    );
  });
});
