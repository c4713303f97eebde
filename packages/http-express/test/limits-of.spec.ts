import { days } from '@pinfold/core';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { ask } from './client.ts';
import { openRig } from './rig.ts';

describe('an account with limits of its own', () => {
  const rig = ofEachTest(() =>
    openRig({
      limitsOf: (account) => (account === 'first' ? { archiveBytes: 500, lifetime: days(30) } : {}),
    }),
  );

  const limitsOf = async (key: string) =>
    (await ask(rig, '/api/v1/limits', { headers: { authorization: `Bearer ${key}` } })).json.limits;

  it('reads them, and other accounts read the default ones', async () => {
    expect(await limitsOf(rig.keys.first)).to.include({ archive_bytes: 500, lifetime_days: 30 });
    expect(await limitsOf(rig.keys.second)).to.include({ archive_bytes: 10_485_760, lifetime_days: 7 });
  });
});
