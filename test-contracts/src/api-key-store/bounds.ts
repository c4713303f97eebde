import {
  type AccountId,
  type ApiKey,
  type ApiKeyId,
  type ApiKeyStore,
  after,
  days,
  duration,
  type Sha256,
} from '@pinfold/core';
import { expect } from 'chai';
import { together } from '../concurrently.ts';
import { type ClauseTable, type StoreSubject, withPeer } from '../contract.ts';
import { expectApart } from '../expect-apart.ts';
import { NEARLY_ONE_ACCOUNT } from '../fixtures/accounts.ts';
import { START } from '../fixtures/clock.ts';
import { anApiKey, anApiKeyId, everyKeyOf, newestKeyFirst } from '../fixtures/credentials.ts';
import { ACCOUNT, anEvent, overQuota } from '../fixtures/roles.ts';
import { walk } from '../walk.ts';

const CREATED = { kind: 'created' };
const GLOBEX = 'globex' as AccountId;
const LATER = after(START, days(1));
const MUCH_LATER = after(START, days(2));
const LONG = 'a'.repeat(40);
const NEARLY_ONE = [...NEARLY_ONE_ACCOUNT, '7', '07', "'", "''", `${LONG}b`, `${LONG}c`] as AccountId[];

export const boundClauses: ClauseTable<ApiKeyStore, StoreSubject<ApiKeyStore>> = {
  'api-key-store/create-ensured: creating an ensured key whose id is taken marks the stored key as ensured and changes no other field':
    withPeer(async (port, other) => {
      const revoked = anApiKey(2, { revokedAt: START, lastUsedAt: LATER });
      for (const key of [anApiKey(1), revoked, anApiKey(3)]) await port.create(key, [anEvent()]);
      for (const key of [anApiKey(1), revoked]) {
        const ensured = anApiKey(9, {
          ...{ id: key.id, account: GLOBEX, label: 'another', isEnsured: true },
          secretHash: 'f'.repeat(64) as Sha256,
        });
        expect(await other.create(ensured, [anEvent()], 'operator')).to.deep.equal({ kind: 'exists' });
        expect(await port.find(key.id)).to.deep.equal({ ...key, isEnsured: true });
        await other.create({ ...ensured, isEnsured: false }, [anEvent()], 'operator');
        expect(await port.find(key.id), 'still ensured').to.deep.equal({ ...key, isEnsured: true });
      }
      expect(await port.find(anApiKeyId(3)), 'another').to.deep.equal(anApiKey(3));
    }),
  'api-key-store/create-limit: concurrent calls create as many keys as the limit allows; revoked keys and those of other accounts do not count, and a refusal stores neither key nor event':
    withPeer(async (port, other, subject) => {
      await port.create(anApiKey(1), [anEvent()]);
      await port.create(anApiKey(2, { revokedAt: START }), [anEvent()]);
      for (const n of [3, 4, 5, 6, 7]) await port.create(anApiKey(n, { account: GLOBEX }), [anEvent()]);
      const outcomes = await together(subject, 20, (store, n) =>
        store.create(anApiKey(10 + n), [anEvent()], 'account', 5),
      );
      expect(outcomes.filter(({ kind }) => kind === 'created')).to.have.lengthOf(4);
      for (const outcome of outcomes) {
        if (outcome.kind !== 'created') expect(outcome).to.deep.equal(overQuota('keys', 5, 6));
      }
      for (const [n, { kind }] of outcomes.entries()) {
        expect((await other.find(anApiKeyId(10 + n))) !== undefined).to.equal(kind === 'created');
      }
      expect(await other.create(anApiKey(40), [anEvent()], undefined, 5), 'no authority').to.deep.equal(
        overQuota('keys', 5, 6),
      );
      expect(await other.create(anApiKey(1), [anEvent()], 'account', 5), 'a taken id').to.deep.equal({
        kind: 'exists',
      });
      expect(await other.create(anApiKey(41), [anEvent()], 'operator', 5)).to.deep.equal(CREATED);
      expect(await port.create(anApiKey(42), [anEvent()], 'account', null)).to.deep.equal(CREATED);
      expect(await port.create(anApiKey(43), [anEvent()], 'account', 5), 'above').to.deep.equal(
        overQuota('keys', 5, 8),
      );
      expect(await port.create(anApiKey(43), [anEvent()], 'account', 8)).to.deep.equal(CREATED);
      await other.revoke(anApiKeyId(1), LATER, [anEvent()]);
      expect(await port.create(anApiKey(44), [anEvent()], 'account', 8), 'room').to.deep.equal(CREATED);
      const keyOfAnotherAccount = anApiKey(45, { account: 'initech' as AccountId });
      expect(await port.create(keyOfAnotherAccount, [anEvent()], 'account', 0)).to.deep.equal(
        overQuota('keys', 0, 1),
      );
    }),
  'api-key-store/count-live: exactly the keys of an account that are not revoked are counted': withPeer(
    async (port, other, _, another) => {
      expect(await other.countLive(ACCOUNT), 'none yet').to.equal(0);
      for (const n of [1, 2, 3]) await port.create(anApiKey(n), [anEvent()]);
      await port.create(anApiKey(4, { account: 'Acme ' as AccountId }), [anEvent()]);
      await port.create(anApiKey(5, { revokedAt: START }), [anEvent()]);
      expect(await other.countLive(ACCOUNT)).to.equal(3);
      await port.revoke(anApiKeyId(2), LATER, [anEvent()]);
      expect(await other.countLive(ACCOUNT), 'one revoked').to.equal(2);
      expect(await other.countLive('Acme ' as AccountId)).to.equal(1);
      const alone = (await another()).port;
      await expectApart(
        NEARLY_ONE.map((account, n) => anApiKey(n, { account })),
        {
          write: (key) => alone.create(key, [anEvent()]),
          read: ({ account }) => alone.countLive(account),
          none: 0,
          one: () => 1,
        },
      );
    },
  ),
  'api-key-store/list-pages: pages after a key, even a removed one, have every key exactly once': withPeer(
    async (port, other) => {
      const keys: ApiKey[] = [];
      for (let n = 0; n < 25; n += 1) {
        const account = n % 3 === 0 ? GLOBEX : ACCOUNT;
        const key = anApiKey(n, { account, createdAt: after(START, duration(n % 4)), revokedAt: START });
        await port.create(key, [anEvent()]);
        keys.push(key);
      }
      const ordered = keys.sort(newestKeyFirst);
      for (const account of [undefined, ACCOUNT]) {
        const own = ordered.filter((key) => account === undefined || key.account === account);
        for (const limit of [1, 4, 25]) {
          const walked = await walk<ApiKey>(limit, (after) => other.list({ account, after, limit }));
          expect(walked, `${limit} at a time`).to.deep.equal(own);
        }
      }
      const [, , third, fourth] = ordered;
      const { createdAt } = third as ApiKey;
      const place = { createdAt, id: `${third?.id}0` as ApiKeyId };
      const [next] = await other.list({ account: undefined, after: place, limit: 1 });
      expect(next, 'after a key that is not there').to.deep.equal(third);
      await port.purge(LATER, 24);
      const rest = await other.list({ account: undefined, after: fourth, limit: 9 });
      expect(rest, 'after a purged key').to.deep.equal([ordered.at(-1)]);
    },
  ),
  'api-key-store/purge: exactly keys that were revoked earlier are removed, at most the limit, except ensured ones and the oldest, so that no later key is the first':
    withPeer(async (port, other, _, another) => {
      const oldest = anApiKey(1, { revokedAt: START });
      const ensured = anApiKey(2, { revokedAt: START, isEnsured: true });
      const [live, late] = [anApiKey(3), anApiKey(4, { revokedAt: LATER })];
      const old = [5, 6, 7].map((n) => anApiKey(n, { revokedAt: START }));
      for (const key of [...old, oldest, ensured, live, late]) await port.create(key, [anEvent()]);
      expect(await other.purge(START, 100), 'too early').to.equal(0);
      expect(await other.purge(LATER, 2), 'the limit').to.equal(2);
      expect(await port.purge(LATER, 100), 'the rest').to.equal(1);
      expect(await port.purge(LATER, 100), 'nothing left').to.equal(0);
      expect(await other.list(everyKeyOf())).to.deep.equal([late, live, ensured, oldest]);
      expect(await port.purge(MUCH_LATER, 100)).to.equal(1);
      expect(await other.find(late.id)).to.equal(undefined);
      expect(await other.revoke(late.id, MUCH_LATER, [anEvent()])).to.deep.equal({ kind: 'unknown' });

      const lone = await another();
      await lone.port.createFirst(oldest, [anEvent()]);
      expect(await lone.port.purge(LATER, 100), 'the only one').to.equal(0);
      expect(await lone.port.createFirst(anApiKey(9), [anEvent()])).to.deep.equal({ kind: 'exists' });
      await lone.port.create(anApiKey(8, { revokedAt: START }), [anEvent()]);
      expect(await lone.port.purge(LATER, 100), 'the later one').to.equal(1);
      expect(await lone.port.list(everyKeyOf())).to.deep.equal([oldest]);
    }),
};
