import { createMemoryDatabase } from '@pinfold/memory';
import { ACCOUNT, anApiKey, anApiKeyId, aSession, aTokenHash, START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import type { AccountId } from '../../src/index.ts';
import { TABLES } from '../../src/records.ts';
import { API_KEY_PROGRAMS, apiKeyStore } from '../../src/stores/api-key-store.ts';
import { SESSION_PROGRAMS, sessionStore } from '../../src/stores/session-store.ts';

const OTHER = 'another' as AccountId;

/** The memory checks the locks of each program, so what runs at all holds those that it needs. */
function openStores() {
  const programs = [API_KEY_PROGRAMS, SESSION_PROGRAMS].flatMap(({ all }) => all);
  const database = createMemoryDatabase({ tables: TABLES, programs });
  return {
    apiKeys: apiKeyStore(database),
    sessions: sessionStore(database),
  };
}

describe('what has to be locked and is known only once it was read', () => {
  it('are the sessions that a further one ends: more than one program locks, too', async () => {
    const { sessions } = openStores();
    for (let n = 1; n <= 205; n += 1) await sessions.begin(aSession(n), []);
    const limits = { ofActor: 100, ofAccount: 3 };
    expect(await sessions.begin(aSession(300), [], limits)).to.deep.equal({ ended: 203 });
    const left = await sessions.list({ account: ACCOUNT, now: START, after: undefined, limit: 1_000 });
    expect(left.map(({ tokenHash }) => tokenHash)).to.deep.equal([204, 205, 300].map(aTokenHash));
  });

  it('is the account of a taken key that becomes ensured', async () => {
    const { apiKeys } = openStores();
    await apiKeys.create(anApiKey(1, { account: OTHER }), []);
    const ensured = anApiKey(1, { isEnsured: true });
    expect(await apiKeys.create(ensured, [], 'operator')).to.deep.equal({ kind: 'exists' });
    expect(await apiKeys.find(anApiKeyId(1))).to.deep.equal(anApiKey(1, { account: OTHER, isEnsured: true }));
  });
});
