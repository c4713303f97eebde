import { expect } from 'chai';
import { siblingWarning } from '../src/sibling-warning.ts';

function warns(publicHost: string, sitesHost: string): boolean {
  const urls = { publicUrl: `https://${publicHost}`, sitesUrl: `https://${sitesHost}` };
  return siblingWarning({ ...urls, viewerMode: 'origin' }) !== undefined;
}

describe('siblingWarning', () => {
  const siblings: readonly (readonly [string, string])[] = [
    ['pin.example.com', 'pin.example.com'],
    ['example.com', 'sites.example.com'],
    ['pin.example.co.uk', 'sites.example.co.uk'],
    ['pin.example.com:8443', 'sites.example.com'],
  ];
  for (const [publicHost, sitesHost] of siblings) {
    it(`warns of ${publicHost} beside ${sitesHost}`, () => {
      expect(warns(publicHost, sitesHost)).to.equal(true);
    });
  }

  const strangers: readonly (readonly [string, string])[] = [
    ['pin.example.com', 'pin-sites.com'],
    ['localhost:8080', 'localhost:8080'],
    ['pin.localhost', 'sites.localhost'],
    ['one.github.io', 'other.github.io'],
    ['one.co.uk', 'other.co.uk'],
    ['192.0.2.1', 'sites.example.com'],
  ];
  for (const [publicHost, sitesHost] of strangers) {
    it(`is silent about ${publicHost} beside ${sitesHost}`, () => {
      expect(warns(publicHost, sitesHost)).to.equal(false);
    });
  }

  it('is silent in path mode, where sites have no origin of their own', () => {
    const url = 'https://pin.example.com';
    expect(siblingWarning({ publicUrl: url, sitesUrl: url, viewerMode: 'path' })).to.equal(undefined);
  });
});
