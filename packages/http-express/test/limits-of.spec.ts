import { days } from '@pinfold/core';
import { expect } from 'chai';
import { openRig, type Rig } from './rig.ts';

describe('an account with limits of its own', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig({
      limitsOf: (account) => (account === 'first' ? { archiveBytes: 500, lifetime: days(30) } : {}),
    });
  });

  const limitsOf = async (key: string): Promise<Readonly<Record<string, number>>> => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${rig.baseUrl}/api/v1/limits`, { headers });
    return ((await answer.json()) as { readonly limits: Readonly<Record<string, number>> }).limits;
  };
  it('is told them, and nobody else is', async () => {
    expect(await limitsOf(rig.keys.first)).to.include({ archive_bytes: 500, lifetime_days: 30 });
    expect(await limitsOf(rig.keys.second)).to.include({ archive_bytes: 10_485_760, lifetime_days: 7 });
  });
});
