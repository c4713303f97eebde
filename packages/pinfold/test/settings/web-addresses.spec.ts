import { expect } from 'chai';
import { readSettings } from '../../src/settings/settings.ts';
import { resolveWebAddresses } from '../../src/settings/web-addresses.ts';

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
