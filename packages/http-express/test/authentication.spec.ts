import { Fault, minutes, OPERATOR, seconds } from '@pinfold/core';
import { listedKeys } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { apiKeyAuthentication } from '../src/index.ts';
import { ask, until } from './client.ts';
import { openRig, type Rig } from './rig.ts';

describe('Authentication by API keys', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig();
  });

  const firstKey = async () => {
    const keys = await listedKeys(rig.manageKeys, OPERATOR);
    return (
      keys.find(({ id }) => rig.keys.first.startsWith(`pf_${id}_`)) ?? expect.fail('the key is not there')
    );
  };

  it('notes nothing when there is no key', async () => {
    const noted: unknown[] = [];
    const authenticate = apiKeyAuthentication({
      authenticate: async () => undefined,
      noteUse: async (key) => void noted.push(key),
    });
    const own = await openRig({ api: { authenticate } });
    expect((await ask(own, '/api/v1/limits')).status).to.equal(401);
    expect(noted).to.deep.equal([]);
  });

  it('notes the use of a key after the answer, at most once a minute', async () => {
    expect((await firstKey()).lastUsedAt).to.equal(null);
    await ask(rig, '/api/v1/limits');
    await until(async () => (await firstKey()).lastUsedAt === rig.clock.now());
    const noted = rig.clock.now();
    rig.clock.advance(seconds(59));
    await ask(rig, '/api/v1/limits');
    expect((await firstKey()).lastUsedAt).to.equal(noted);
    rig.clock.advance(seconds(2));
    await ask(rig, '/api/v1/limits');
    await until(async () => (await firstKey()).lastUsedAt === noted + minutes(1) + 1_000);
  });

  it('answers though the use cannot be noted, and tells of that', async () => {
    const errors: unknown[] = [];
    const fault = new Fault('store_unavailable', 'no database');
    const { manageKeys } = rig;
    const authenticate = apiKeyAuthentication(
      {
        authenticate: (text) => manageKeys.authenticate(text),
        noteUse: () => Promise.reject(fault),
      },
      { onError: (error) => errors.push(error) },
    );
    const own = await openRig({ api: { authenticate } });
    const { status } = await ask({ ...own, keys: rig.keys }, '/api/v1/limits');
    expect(status).to.equal(200);
    await until(() => errors.length > 0);
    expect(errors).to.deep.equal([fault]);
  });
});
