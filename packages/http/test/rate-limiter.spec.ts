import { after, minutes, seconds } from '@pinfold/core';
import { START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { RateLimiter } from '../src/rates/rate-limiter.ts';

describe('A rate limiter', () => {
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
