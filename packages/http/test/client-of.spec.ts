import { expect } from 'chai';
import fc from 'fast-check';
import { clientOf } from '../src/internal.ts';

describe("a client's address", () => {
  it('is an IPv4 address as it is, even one mapped into IPv6', () => {
    expect(clientOf('192.0.2.7')).to.equal('192.0.2.7');
    expect(clientOf('::ffff:192.0.2.7')).to.equal('192.0.2.7');
    expect(clientOf('::FFFF:c000:207')).to.equal('192.0.2.7');
    expect(clientOf('0:0:0:0:0:ffff:c000:0207')).to.equal('192.0.2.7');
  });

  it('is the /64 of an IPv6 address, however that is written', () => {
    const network = '2001:db8:1:2::/64';
    for (const address of [
      '2001:db8:1:2::1',
      '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff',
      '2001:db8:1:2:0:0:192.0.2.7',
      '2001:db8:1:2::%eth0',
    ]) {
      expect(clientOf(address), address).to.equal(network);
    }
    expect(clientOf('2001:db8:1:3::1')).not.to.equal(network);
    expect(clientOf('::1')).to.equal('0:0:0:0::/64');
  });

  it('is any other text unchanged', () => {
    expect(clientOf('')).to.equal('');
    expect(clientOf('unknown')).to.equal('unknown');
  });

  it('is the same for every address of an IPv6 network', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        fc.pre(!address.includes('.') && !clientOf(address).includes('.'));
        expect(clientOf(clientOf(address).replace('::/64', '::42'))).to.equal(clientOf(address));
      }),
    );
  });
});
