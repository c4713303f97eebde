import { publicUrl } from '@pinfold/http';
import { expect } from 'chai';
import { findSiblingWarning } from '../../src/start/sibling-warning.ts';

function warning(publicHost: string, sitesHost: string): Promise<string | undefined> {
  const urls = { publicUrl: publicUrl(`https://${publicHost}`), sitesUrl: `https://${sitesHost}` };
  return findSiblingWarning({ ...urls, viewerMode: 'origin' });
}

describe('findSiblingWarning', () => {
  const siblings: readonly (readonly [string, string, string])[] = [
    ['pin.example.com', 'pin.example.com', 'example.com'],
    ['example.com', 'sites.example.com', 'example.com'],
    ['pin.example.co.uk', 'sites.example.co.uk', 'example.co.uk'],
    ['pin.example.com:8443', 'sites.example.com', 'example.com'],
    ['one.github.io', 'one.github.io', 'one.github.io'],
  ];
  for (const [publicHost, sitesHost, domain] of siblings) {
    it(`warns that sites reach the public host: ${publicHost} beside ${sitesHost}`, async () => {
      const line = await warning(publicHost, sitesHost);
      expect(line)
        .to.match(/^[^\n]+$/)
        .and.contain(`share the domain ${domain}`)
        .and.contain("a site's cookies reach the public host");
      expect(line).to.contain('shut its viewers out of all sites, the management screen');
    });
  }

  const quiet: readonly (readonly [string, string])[] = [
    ['pin.example.com', 'a.b.pin-sites.com'],
    ['one.github.io', 'other.github.io'],
    ['192.0.2.1', 'sites.example.com'],
    ['localhost:8080', 'sites.example.com'],
    ['pin.example.com', 'github.io'],
    ['github.io', 'github.io'],
    ['localhost:8080', 'localhost:8080'],
    ['pin.localhost', 'sites.localhost'],
    ['pin.localhost', 'pin.localhost'],
    ['share.example.com', 'sites.localhost:8080'],
    ['intranet', 'intranet'],
  ];
  for (const [publicHost, sitesHost] of quiet) {
    it(`is silent about ${publicHost} beside ${sitesHost}`, async () => {
      expect(await warning(publicHost, sitesHost)).to.equal(undefined);
    });
  }

  it('is silent in path mode, where sites have no origin of their own', async () => {
    const url = publicUrl('https://pin.example.com');
    expect(await findSiblingWarning({ publicUrl: url, sitesUrl: url, viewerMode: 'path' })).to.equal(
      undefined,
    );
  });
});
