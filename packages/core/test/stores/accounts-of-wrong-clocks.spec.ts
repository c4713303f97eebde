import { after, days, instant, minutes } from '@pinfold/core';
import { createMemory } from '@pinfold/memory';
import { ACCOUNT, aPublication, publishTo } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';

const NOW = instant(Date.UTC(2026, 10, 30));
const AHEAD = after(NOW, days(9));

describe('an account that has published by a clock days ahead', () => {
  it('shows its last publication, and those of a day, by the right clock once it publishes again', async () => {
    const { accounts, roles, close } = createMemory();
    const instants = [AHEAD, NOW, after(NOW, minutes(59)), NOW];
    for (const [n, publishedAt] of instants.entries())
      await publishTo(roles, aPublication(n, { publishedAt, expiresAt: after(publishedAt, days(7)) }));
    expect((await accounts.load(ACCOUNT))?.value.lastPublishedAt).to.equal(after(NOW, minutes(59)));
    expect((await accounts.usedBy(ACCOUNT, NOW)).publications24h).to.equal(3);
    await close();
  });
});
