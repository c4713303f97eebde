import { ACCOUNT, anApiKey, anApiKeyId, aSession, aTokenHash, START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import type { AccountId } from '../../src/index.ts';
import { storesOver } from './memory-stores.ts';

const OTHER = 'another' as AccountId;

describe('a program that knows its locks only after reading', () => {
  it('locks the sessions that a new one ends, even more than one program can lock', async () => {
    const { sessions } = storesOver();
    for (let n = 1; n <= 205; n += 1) await sessions.begin(aSession(n), []);
    const limits = { ofActor: 100, ofAccount: 3 };
    expect(await sessions.begin(aSession(300), [], limits)).to.deep.equal({ ended: 203 });
    const remaining = await sessions.list({ account: ACCOUNT, now: START, after: undefined, limit: 1_000 });
    expect(remaining.map(({ tokenHash }) => tokenHash)).to.deep.equal([204, 205, 300].map(aTokenHash));
  });

  it('locks the account of an existing key that is marked as ensured', async () => {
    const { apiKeys } = storesOver();
    await apiKeys.create(anApiKey(1, { account: OTHER }), []);
    const ensured = anApiKey(1, { isEnsured: true });
    expect(await apiKeys.create(ensured, [], 'operator')).to.deep.equal({ kind: 'exists' });
    expect(await apiKeys.find(anApiKeyId(1))).to.deep.equal(anApiKey(1, { account: OTHER, isEnsured: true }));
  });
});
