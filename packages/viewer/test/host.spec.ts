import { expect } from 'chai';
import fc from 'fast-check';
import { isBelowHost, isHost, siteOfHost } from '../src/routing/route.ts';

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
