import { expect } from 'chai';
import fc from 'fast-check';
import { isReturnPath, returnPathOf, returnQuery } from '../src/routing/addresses.ts';

describe('the path to return to', () => {
  it('is accepted if it begins with one slash and is printable ASCII', () => {
    expect(returnPathOf('?to=%2Fdocs%2F%3Fq%3D1%23part')).to.equal('/docs/?q=1#part');
    expect(returnPathOf('?to=/')).to.equal('/');
    expect(returnPathOf('?x=1&to=/a%20b')).to.equal('/a b');
    expect(returnPathOf(`?${'grant&too=/b&xto=/c&'.repeat(2)}to=/d`)).to.equal('/d');
    expect(returnPathOf(`?to=/${'a'.repeat(2_047)}`)).to.have.length(2_048);
  });

  it('is the root otherwise', () => {
    for (const query of [
      '',
      '?',
      '?to=',
      '?to=docs',
      '?to=//evil.example',
      '?to=/%5Cevil.example',
      '?to=https://evil.example/',
      '?to=%0D%0A/x',
      '?to=/x%0D%0ASet-Cookie:a',
      '?to=/%09/evil.example',
      '?to=/%E6%B8%AF',
      '?to=/%7F',
      `?to=/${'a'.repeat(2_048)}`,
      '?to=/a&to=/b',
      '?to=/a&to',
      '?TO=/a',
    ]) {
      expect(returnPathOf(query), query).to.equal('/');
    }
  });

  it('is returned as it was sent', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const path = `/${text}`;
        expect(returnPathOf(returnQuery(path))).to.equal(isReturnPath(path) ? path : '/');
      }),
    );
    expect(returnQuery('//evil.example')).to.equal('');
  });

  it('never leads to another host', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const path = returnPathOf(`?to=${encodeURIComponent(text.toWellFormed())}`);
        expect(new URL(`https://site.example${path}`).host).to.equal('site.example');
        expect(new URL(path, 'https://site.example').host).to.equal('site.example');
      }),
    );
  });
});
