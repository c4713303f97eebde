import { type AccountId, type ApiKey, type ApiKeyStore, after, duration, minutes } from '@pinfold/core';
import { expect } from 'chai';
import { type ClauseTable, type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { anApiKey, anApiKeyId, everyKeyOf, newestKeyFirst } from '../fixtures/credentials.ts';
import { anEvent } from '../fixtures/roles.ts';
import { harnessClauses } from '../harness.ts';
import { sharedClauses } from '../shared-clauses.ts';
import { boundClauses } from './bounds.ts';
import { apiKeyClauses } from './clauses.ts';

/** More than any page size of a database, a driver or an adapter, even for one account. */
const COUNT = 1_320;
const [LATER, MUCH_LATER] = [after(START, minutes(1)), after(START, minutes(2))];

const furtherClauses: ClauseTable<ApiKeyStore, StoreSubject<ApiKeyStore>> = {
  'api-key-store/list-many: a list with a high limit has more than a thousand keys, even hundreds of one instant':
    async ({ port, peer }) => {
      const keys: ApiKey[] = [];
      for (let n = 1; n <= COUNT; n += 1) {
        const account = (n % 5 === 0 ? 'globex' : 'acme') as AccountId;
        const key = anApiKey(n, { account, createdAt: after(START, duration(n % 3)) });
        await port.create(key, [anEvent()]);
        keys.push(key);
      }
      const ordered = keys.sort(newestKeyFirst);
      const other = await peer();
      expect(await other.list(everyKeyOf())).to.deep.equal(ordered);
      const account = 'acme' as AccountId;
      const own = ordered.filter((key) => key.account === account);
      expect(await other.list(everyKeyOf(account)), 'of an account').to.deep.equal(own);
    },
  ...sharedClauses<ApiKeyStore, ApiKeyStore, 'countLive' | 'find' | 'list'>({
    suite: 'api-key-store',
    portOf: (keys) => keys,
    prepare: (keys) => keys.create(anApiKey(1), [anEvent()]),
    reads: {
      find: [
        (keys, signal) => keys.find(anApiKeyId(1), signal),
        (keys, signal) => keys.find(anApiKeyId(2), signal),
      ],
      list: [undefined, anApiKey(1).account, 'globex' as AccountId].map(
        (account) => (keys) => keys.list(everyKeyOf(account)),
      ),
      countLive: [anApiKey(1).account, 'globex' as AccountId].map(
        (account) => (keys) => keys.countLive(account),
      ),
    },
    writes: {
      create: (keys, _, n) => keys.create(anApiKey(n), [anEvent()]),
      createFirst: (keys, _, n) => keys.createFirst(anApiKey(n), [anEvent()]),
      touch: (keys) => keys.touch(anApiKeyId(1), LATER, START),
      revoke: (keys, _, n) => keys.revoke(anApiKeyId(n), LATER, [anEvent()]),
      purge: (keys) => keys.purge(START, 1),
    },
    aborted: { find: 'find-aborted' },
    changes: {
      'a use': (keys) => keys.touch(anApiKeyId(1), LATER, START),
      'a new key': (keys) => keys.create(anApiKey(2), [anEvent()]),
      'a revocation': (keys) => keys.revoke(anApiKeyId(1), MUCH_LATER, [anEvent()]),
      'a use of a revoked key': (keys) => keys.touch(anApiKeyId(1), MUCH_LATER, LATER),
      'a revocation of another key': (keys) => keys.revoke(anApiKeyId(2), LATER, [anEvent()]),
      'purging an old key': (keys) => keys.purge(after(LATER, duration(1)), 1),
    },
  }),
};

/** The clauses of every {@link ApiKeyStore}. */
export const apiKeyStoreContract: Contract<ApiKeyStore, StoreSubject<ApiKeyStore>> = {
  port: 'ApiKeyStore',
  harness: harnessClauses('api-key-store', {
    write: async (port, n) => {
      await port.create(anApiKey(n), [anEvent()]);
    },
    sees: async (port, n) => (await port.find(anApiKeyId(n))) !== undefined,
  }),
  clauses: toClauses({ ...apiKeyClauses, ...boundClauses, ...furtherClauses }),
};
