import { outgoingBytes } from '@pinfold/http/internal';
import { expect } from 'chai';
import { ask } from './client.ts';
import { openRig } from './rig.ts';

describe('While too many bytes of answers wait for slow clients', () => {
  const { memory } = outgoingBytes;

  beforeEach(() => {
    outgoingBytes.memory = 0;
    outgoingBytes.countLoaded(1);
  });

  afterEach(() => {
    outgoingBytes.memory = memory;
    outgoingBytes.countLoaded(-1);
  });

  it('an answer over 64 KiB is 503 with Retry-After: 1, and a smaller one is sent', async () => {
    const rig = await openRig();
    const large = await ask(rig, '/openapi.json', { headers: { 'accept-encoding': 'identity' } });
    expect([large.status, large.headers.get('retry-after')]).to.deep.equal([503, '1']);
    expect(large.json).to.include({ code: 'unavailable', status: 503, retryable: true });
    expect((await ask(rig, '/api/v1/pins')).status).to.equal(200);
    expect((await ask(rig, '/openapi.json', { method: 'HEAD' })).status).to.equal(200);
    const logged = rig.log.map(({ status, error }) => [status, error]);
    expect(logged.slice(0, 2)).to.deep.equal([
      [503, undefined],
      [200, undefined],
    ]);
  });
});
