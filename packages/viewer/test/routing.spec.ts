import { expect } from 'chai';
import fc from 'fast-check';
import { isReturnPath, returnPathOf, returnQuery } from '../src/routing/addresses.ts';
import { isBelowHost, isHost, siteOfHost } from '../src/routing/route.ts';
import { decodePath, encodeRawBytes, splitTarget } from '../src/routing/target.ts';

const ID = '0b5f1c9e-7d0a-4c53-9a51-3d2f8b7e6a10';

describe('the Host header', () => {
  it('names a site in any letter case, with any port, with or without the trailing dot', () => {
    for (const host of [
      `${ID}.sites.example`,
      `${ID.toUpperCase()}.Sites.EXAMPLE`,
      `${ID}.sites.example:8080`,
      `${ID}.sites.example.`,
      `${ID}.sites.example.:443`,
    ]) {
      expect(siteOfHost(host, 'sites.example'), host).to.equal(ID);
    }
  });

  it('names no site otherwise', () => {
    for (const host of [
      undefined,
      '',
      'sites.example',
      '127.0.0.1:8080',
      ID,
      `${ID}.`,
      `${ID}.example`,
      `${ID}.sites.example.evil.example`,
      `x.${ID}.sites.example`,
      `${ID}sites.example`,
      `${ID}-sites.example`,
      `${ID.replace('0b', 'zz')}.sites.example`,
      `{${ID}}.sites.example`,
    ]) {
      expect(siteOfHost(host, 'sites.example'), host).to.equal(undefined);
    }
  });

  it('is below another with any port and trailing dots', () => {
    for (const end of ['', '.', '..', '.:80', '..:80', ':80:90', ':x']) {
      expect(isBelowHost(`x.y.Localhost${end}`, 'localhost'), end).to.equal(true);
      expect(isBelowHost(`localhost${end}`, 'localhost'), end).to.equal(false);
      expect(isHost(`LOCALHOST${end}`, 'localhost'), end).to.equal(true);
    }
    expect(isHost('[::1]:8080', '[::1]') && isHost('[::1]', '[::1]')).to.equal(true);
    expect(isBelowHost('xlocalhost', 'localhost')).to.equal(false);
    expect(isHost(undefined, 'localhost') || isBelowHost(undefined, 'localhost')).to.equal(false);
  });

  it('is read without an error for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.nat(255).map((byte) => String.fromCharCode(byte)) }), (noise) => {
        expect(siteOfHost(noise, 'sites.example')).to.equal(undefined);
        siteOfHost(`${ID}.${noise}`, 'sites.example');
      }),
    );
  });
});

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
