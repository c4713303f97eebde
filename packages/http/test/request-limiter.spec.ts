import { after, minutes, seconds } from '@pinfold/core';
import { START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import fc from 'fast-check';
import { clientOf } from '../src/internal.ts';
import { RateLimiter } from '../src/request-limiter.ts';

describe('a rate limiter', () => {
  it('takes nothing for a refused request', () => {
    const limiter = new RateLimiter<string>();
    const rate = { count: 12, window: minutes(1) };
    expect(limiter.take('one', rate, START, 10).kind).to.equal('admitted');
    expect(limiter.take('one', rate, START, 10)).to.deep.nested.include({
      kind: 'limited',
      'left.remaining': 2,
      'left.nextAt': after(START, seconds(40)),
    });
    expect(limiter.take('one', rate, START, 2).kind).to.equal('admitted');
    expect(limiter.take('another', rate, START, 10).kind).to.equal('admitted');
  });

  it('stores no key whose whole rate is available again', () => {
    const limiter = new RateLimiter<string>();
    const rate = { count: 10, window: seconds(10) };
    for (let n = 0; n < 1_000; n += 1) limiter.take(`key ${n}`, rate, START);
    expect(limiter.size).to.equal(1_000);
    const later = after(START, seconds(10));
    for (let n = 0; n < 1_000; n += 1) limiter.take('one', rate, later);
    expect(limiter.size).to.equal(1);
  });

  it('stores a bounded number of keys', () => {
    const limiter = new RateLimiter<number>();
    const rate = { count: 1, window: minutes(1) };
    for (let n = 0; n < 100_100; n += 1) limiter.take(n, rate, START);
    expect(limiter.size).to.be.at.most(100_001);
    expect(limiter.take(100_099, rate, START).kind).to.equal('limited');
  });
});

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
