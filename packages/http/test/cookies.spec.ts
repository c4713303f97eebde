import { expect } from 'chai';
import fc from 'fast-check';
import { cookieValues, hasTooManyCookies, setCookie } from '../src/internal.ts';

describe('a Cookie header', () => {
  it('has all values of a name, and none of another name', () => {
    const header = 'a=1; grant=x; Grant=no; grant=; xgrant=no; grant=y=z;grant = w ; grant';
    expect(cookieValues(header, 'grant')).to.deep.equal(['x', '', 'y=z', 'w']);
    expect(cookieValues(undefined, 'grant')).to.deep.equal([]);
    expect(cookieValues('', 'grant')).to.deep.equal([]);
  });

  it('has our value among cookies of sibling sites', () => {
    const noise = fc.string().map((text) => text.replaceAll(';', ''));
    fc.assert(
      fc.property(fc.array(noise), fc.array(noise), (before, after) => {
        const header = [...before, 'grant=ours', ...after].join('; ');
        expect(cookieValues(header, 'grant')).to.include('ours');
      }),
    );
  });
});

describe('a Set-Cookie line', () => {
  it('is only for this host, hidden from scripts, and Secure if the scope is', () => {
    const scope = { name: '__Host-g', path: '/', secure: true, sameSite: 'Lax' } as const;
    expect(setCookie(scope, 'v', 60)).to.equal(
      '__Host-g=v; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax',
    );
    const plain = { name: 'g', path: '/s/1', secure: false, sameSite: 'Strict' } as const;
    expect(setCookie(plain, '', 0)).to.equal('g=; Path=/s/1; Max-Age=0; HttpOnly; SameSite=Strict');
    expect(setCookie(plain, 'v')).to.equal('g=v; Path=/s/1; HttpOnly; SameSite=Strict');
  });
});

describe('cookies', () => {
  it('are too many above 12 KiB, in any number of headers', () => {
    const isTooMuch = (cookie: string | undefined): boolean =>
      hasTooManyCookies({ headers: cookie === undefined ? {} : { cookie } });
    expect(isTooMuch(undefined)).to.equal(false);
    expect(isTooMuch('a=b')).to.equal(false);
    expect(isTooMuch('a'.repeat(12_288))).to.equal(false);
    expect(isTooMuch('a'.repeat(12_289))).to.equal(true);
    // Node joins several headers to one.
    expect(
      isTooMuch(
        Array(4)
          .fill(`b=${'x'.repeat(3_900)}`)
          .join('; '),
      ),
    ).to.equal(true);
  });
});
