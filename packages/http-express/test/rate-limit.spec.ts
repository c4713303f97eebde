import { type AccountId, after, seconds } from '@pinfold/core';
import { START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { RateLimiter } from '../src/rate-limit.ts';
import { ask } from './client.ts';
import { openRig } from './rig.ts';

const [one, two] = ['one' as AccountId, 'two' as AccountId];

describe('A rate limit', () => {
  it('admits so many requests of each account in a window, and opens anew at its end', () => {
    const limiter = new RateLimiter({ requests: 2, window: seconds(60) });
    const end = after(START, seconds(60));
    expect(limiter.take(one, START)).to.deep.equal({ kind: 'admitted', remaining: 1, until: end });
    expect(limiter.take(one, after(START, seconds(59)))).to.include({ kind: 'admitted', remaining: 0 });
    expect(limiter.take(one, after(START, seconds(59)))).to.include({ kind: 'limited', until: end });
    expect(limiter.take(two, after(START, seconds(59)))).to.include({ kind: 'admitted' });
    expect(limiter.take(one, end)).to.include({ kind: 'admitted', remaining: 1 });
    expect(limiter.take(two, end)).to.include({ kind: 'admitted', remaining: 0 });
  });

  it('is off unless it is set', async () => {
    const rig = await openRig();
    const { headers } = await ask(rig, '/api/v1/limits');
    expect(headers.has('ratelimit')).to.equal(false);
    await rig.close();
  });

  it('is told in headers, and exceeded is 429 with Retry-After', async () => {
    const rig = await openRig({ api: { rateLimit: { requests: 2, window: seconds(60) } } });
    const { headers } = await ask(rig, '/api/v1/limits');
    expect(headers.get('ratelimit-policy')).to.equal('"account";q=2;w=60');
    expect(headers.get('ratelimit')).to.equal('"account";r=1;t=60');
    await ask(rig, '/api/v1/nothing');
    rig.clock.advance(seconds(20));
    const limited = await ask(rig, '/api/v1/limits');
    expect(`${limited.status} ${limited.json.code}`).to.equal('429 rate_limited');
    expect(limited.json).to.include({ retryable: true });
    expect(limited.headers.get('retry-after')).to.equal('40');
    expect(limited.headers.get('ratelimit')).to.equal('"account";r=0;t=40');
    const stranger = { authorization: `Bearer ${rig.keys.second}` };
    expect((await ask(rig, '/api/v1/limits', { headers: stranger })).status).to.equal(200);
    rig.clock.advance(seconds(40));
    expect((await ask(rig, '/api/v1/limits')).status).to.equal(200);
    await rig.close();
  });
});
