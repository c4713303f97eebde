import { seconds } from '@pinfold/core';
import { expect } from 'chai';
import { ask } from './client.ts';
import { openRig, type Rig } from './rig.ts';

describe('Wrong keys', () => {
  const wrong = (rig: Rig, headers: Readonly<Record<string, string>> = {}, path = '/api/v1/limits') =>
    ask(rig, path, { headers: { authorization: 'Bearer no', ...headers } });

  it('get 429 after sixty a minute from one address, below /api/v1 and /admin/v1 together', async () => {
    const rig = await openRig();
    for (let n = 0; n < 30; n += 1) {
      expect((await wrong(rig)).status).to.equal(401);
      expect((await wrong(rig, {}, '/admin/v1/accounts')).status).to.equal(401);
    }
    for (const path of ['/api/v1/limits', '/admin/v1/accounts']) {
      const limited = await wrong(rig, {}, path);
      expect(`${limited.status} ${limited.json.code}`).to.equal('429 rate_limited');
      expect(limited.json).to.include({ retryable: true });
      expect(limited.headers.get('retry-after')).to.equal('1');
      expect(limited.headers.get('ratelimit')).to.equal('"requests";r=0;t=1');
    }
    expect((await ask(rig, '/api/v1/limits')).status, 'a right key').to.equal(200);
    const { status } = await fetch(`${rig.baseUrl}/api/v1/limits`);
    expect(status, 'no key at all').to.equal(401);
    rig.clock.advance(seconds(1));
    expect((await wrong(rig)).status).to.equal(401);
    expect((await wrong(rig)).status).to.equal(429);
  });

  it('get 429 after six hundred if the address is a proxy that is not trusted', async () => {
    const rig = await openRig();
    for (let n = 0; n < 600; n += 1) {
      expect((await wrong(rig, { 'x-forwarded-for': `192.0.2.${n % 250}` })).status).to.equal(401);
    }
    expect((await wrong(rig, { forwarded: 'for=192.0.2.1' })).status).to.equal(429);
  });
});
