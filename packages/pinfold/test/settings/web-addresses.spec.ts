import { publicUrl } from '@pinfold/http';
import { expect } from 'chai';
import { readSettings } from '../../src/settings/settings.ts';
import { resolveWebAddresses, sharedDomainNotes } from '../../src/settings/web-addresses.ts';

describe('the web addresses', () => {
  it('are localhost with the port of the server by default', () => {
    expect(resolveWebAddresses(readSettings({}), 8080)).to.deep.equal({
      publicUrl: 'http://localhost:8080',
      sitesUrl: 'http://localhost:8080',
      viewerMode: 'origin',
    });
  });

  it('omit the default port of the scheme', () => {
    expect(resolveWebAddresses(readSettings({}), 80).publicUrl).to.equal('http://localhost');
  });

  it('derive the origin of sites from the public URL, without its path', () => {
    const settings = readSettings({ PINFOLD_PUBLIC_URL: 'https://pin.example:8443/share/' });
    expect(resolveWebAddresses(settings, 8080)).to.deep.equal({
      publicUrl: 'https://pin.example:8443/share',
      sitesUrl: 'https://pin.example:8443',
      viewerMode: 'origin',
    });
  });

  for (const address of ['http://192.0.2.1:8080', 'http://[2001:db8::1]:8080']) {
    it(`use path mode for ${address}, and note that`, () => {
      const settings = readSettings({ PINFOLD_PUBLIC_URL: address });
      expect(resolveWebAddresses(settings, 8080).viewerMode).to.equal('path');
      expect(settings.notes).to.have.length(1);
      expect(settings.notes[0]).to.include('PINFOLD_VIEWER_MODE');
    });
  }

  it('stay in origin mode for an IP address if sites have a host name', () => {
    const settings = readSettings({
      PINFOLD_PUBLIC_URL: 'http://192.0.2.1',
      PINFOLD_SITES_URL: 'http://sites.example',
    });
    expect(resolveWebAddresses(settings, 80).viewerMode).to.equal('origin');
    expect(settings.notes).to.deep.equal([]);
  });

  it('note that path mode needs no sites URL', () => {
    const env = { PINFOLD_VIEWER_MODE: 'path', PINFOLD_SITES_URL: 'http://sites.example' };
    expect(readSettings(env).notes).to.have.length(1);
  });
});

function notesFor(publicHost: string, sitesHost: string): Promise<readonly string[]> {
  const urls = { publicUrl: publicUrl(`https://${publicHost}`), sitesUrl: `https://${sitesHost}` };
  return sharedDomainNotes({ ...urls, viewerMode: 'origin' });
}

describe('the note on a domain that sites and the public URL share', () => {
  const siblings: readonly (readonly [string, string, string])[] = [
    ['pin.example.com', 'pin.example.com', 'example.com'],
    ['example.com', 'sites.example.com', 'example.com'],
    ['pin.example.co.uk', 'sites.example.co.uk', 'example.co.uk'],
    ['pin.example.com:8443', 'sites.example.com', 'example.com'],
    ['one.github.io', 'one.github.io', 'one.github.io'],
  ];
  for (const [publicHost, sitesHost, domain] of siblings) {
    it(`warns that sites reach the public host: ${publicHost} beside ${sitesHost}`, async () => {
      const [line, ...others] = await notesFor(publicHost, sitesHost);
      expect(others).to.deep.equal([]);
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
    it(`is absent for ${publicHost} beside ${sitesHost}`, async () => {
      expect(await notesFor(publicHost, sitesHost)).to.deep.equal([]);
    });
  }

  it('is absent in path mode, where sites have no origin of their own', async () => {
    const url = publicUrl('https://pin.example.com');
    expect(await sharedDomainNotes({ publicUrl: url, sitesUrl: url, viewerMode: 'path' })).to.deep.equal([]);
  });
});
