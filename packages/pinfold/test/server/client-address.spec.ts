import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { clientAddress } from '../../src/server/client-address.ts';
import { readSettings } from '../../src/settings/settings.ts';

function addressOf(trustProxy: string, remoteAddress: string, forwardedFor?: string): string {
  const { trustProxy: trust } = readSettings({ PINFOLD_TRUST_PROXY: trustProxy });
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  const request = { headers, socket: { remoteAddress } };
  return clientAddress(trust)(request as unknown as IncomingMessage);
}

describe('clientAddress', () => {
  it("is the socket's when no proxy is trusted, whatever the client says", () => {
    expect(addressOf('', '192.0.2.1', '198.51.100.1')).to.equal('192.0.2.1');
  });

  it('is what so many proxies tell, and nothing before them', () => {
    expect(addressOf('1', '10.0.0.1', '203.0.113.9, 198.51.100.1')).to.equal('198.51.100.1');
    expect(addressOf('2', '10.0.0.1', '203.0.113.9, 198.51.100.1, 10.0.0.2')).to.equal('198.51.100.1');
  });

  it('is what trusted addresses tell', () => {
    expect(addressOf('10.0.0.0/8', '10.0.0.1', '203.0.113.9, 198.51.100.1')).to.equal('198.51.100.1');
    expect(addressOf('10.0.0.0/8', '::ffff:10.0.0.1', '198.51.100.1')).to.equal('198.51.100.1');
    expect(addressOf('10.0.0.0/8', '192.0.2.1', '198.51.100.1')).to.equal('192.0.2.1');
  });

  it("is the socket's when the trusted proxy tells none", () => {
    expect(addressOf('1', '10.0.0.1')).to.equal('10.0.0.1');
    expect(addressOf('1', '10.0.0.1', 'unknown')).to.equal('10.0.0.1');
  });

  it('has no port', () => {
    expect(addressOf('1', '10.0.0.1', '198.51.100.1:4711')).to.equal('198.51.100.1');
    expect(addressOf('1', '10.0.0.1', '[2001:db8::1]:4711')).to.equal('2001:db8::1');
  });
});
