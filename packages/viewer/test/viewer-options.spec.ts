import type { IncomingMessage } from 'node:http';
import type { UseCases } from '@pinfold/core';
import { expect } from 'chai';
import { createViewer, type ViewerAccess } from '../src/index.ts';
import { settingsOf } from '../src/viewer-options.ts';

const useCases = {} as UseCases;

describe("the viewer's settings", () => {
  it('put sites under the public host when no other is given', () => {
    const settings = settingsOf({ useCases, publicUrl: 'http://LOCALHOST:8080/' });
    expect(settings).to.include({
      mode: 'origin',
      secure: false,
      publicUrl: 'http://localhost:8080',
      sharedPath: '/s/',
      sitesHost: 'localhost:8080',
      sitesHostname: 'localhost',
    });
  });

  it('keep the path of the public URL', () => {
    const settings = settingsOf({
      useCases,
      publicUrl: 'https://example.org/share/',
      sitesUrl: 'https://sites.example.net',
    });
    expect(settings).to.include({ secure: true, sharedPath: '/share/s/', sitesHost: 'sites.example.net' });
  });

  it('have host names without the dot of the root', () => {
    const settings = settingsOf({
      useCases,
      publicUrl: 'http://a.example./',
      sitesUrl: 'http://b.example.:81/',
    });
    expect(settings).to.include({ publicHostname: 'a.example', sitesHostname: 'b.example' });
  });

  it("use a socket's address as the client's", () => {
    const { clientAddress } = settingsOf({ useCases, publicUrl: 'http://a.example' });
    for (const [remoteAddress, address] of [
      ['192.0.2.7', '192.0.2.7'],
      [undefined, ''],
    ]) {
      expect(clientAddress({ socket: { remoteAddress } } as IncomingMessage)).to.equal(address);
    }
  });

  it('refuse anything but a plain web address, and another scheme for sites', () => {
    for (const publicUrl of [
      '',
      'example.org',
      'ftp://example.org',
      'https://example.org/?a',
      'https://example.org/#a',
    ]) {
      expect(() => settingsOf({ useCases, publicUrl }), publicUrl).to.throw(TypeError);
    }
    const noUrl = { useCases, publicUrl: 'https://a.example', sitesUrl: 'b.example' };
    expect(() => settingsOf(noUrl)).to.throw(TypeError, /^sitesUrl /);
    const mixed = { useCases, publicUrl: 'https://a.example', sitesUrl: 'http://b.example' };
    expect(() => settingsOf(mixed)).to.throw(TypeError);
    const noMode = { useCases, publicUrl: 'https://a.example', mode: 'orgin' as 'origin' };
    expect(() => settingsOf(noMode)).to.throw(TypeError, /^mode must be /);
  });

  it('require both functions of access, or neither', () => {
    const access = { identify: () => 'ada' } as unknown as ViewerAccess;
    expect(() => createViewer({ useCases, publicUrl: 'http://a.example', access })).to.throw(
      TypeError,
      'access must have the functions identify and mayView',
    );
  });
});
