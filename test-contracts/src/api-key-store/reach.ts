import { type AccountId, type ApiKey, type ApiKeyStore, after, duration, minutes } from '@pinfold/core';
import { expect } from 'chai';
import type { Clause, StoreSubject } from '../contract.ts';
import { expectAbortedAlone, expectNothingLeft, inEveryEnd } from '../expect-aborts.ts';
import { expectFaults } from '../expect-faults.ts';
import { START } from '../fixtures/clock.ts';
import { anApiKey, anApiKeyId, everyKeyOf, newestKeyFirst } from '../fixtures/keys.ts';
import { anEvent } from '../fixtures/roles.ts';

/** More than a page of any size that a database, a driver or an adapter may have, of one account too. */
const COUNT = 1_320;
const [LATER, EVER_LATER] = [after(START, minutes(1)), after(START, minutes(2))];

/** What shows with many keys, when somebody asks again, and when nobody answers. */
export const reachClauses: readonly Clause<ApiKeyStore, StoreSubject<ApiKeyStore>>[] = [
  {
    id: 'api-key-store/list-many',
    says: 'more than a thousand keys, hundreds of them of one instant, are listed whole where the limit is as many',
    check: async ({ port, peer }) => {
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
  },
  {
    id: 'api-key-store/same-question',
    says: 'the same question asked again is answered by what any peer changed meanwhile, and what was answered before stays as it was',
    check: async ({ port, peer }) => {
      const other = await peer();
      await port.create(anApiKey(1), [anEvent()]);
      const answersOf = async (store: ApiKeyStore) => ({
        find: await store.find(anApiKeyId(1)),
        absent: await store.find(anApiKeyId(2)),
        all: await store.list(everyKeyOf()),
        own: await store.list(everyKeyOf(anApiKey(1).account)),
        live: await store.countLive(anApiKey(1).account),
      });
      const changes: Readonly<Record<string, () => Promise<unknown>>> = {
        'a use': () => other.touch(anApiKeyId(1), LATER, START),
        'a new key': () => other.create(anApiKey(2), [anEvent()]),
        'a revocation': () => other.revoke(anApiKeyId(1), EVER_LATER, [anEvent()]),
        'a use of a revoked key': () => other.touch(anApiKeyId(1), EVER_LATER, LATER),
        'a revocation of another key': () => other.revoke(anApiKeyId(2), LATER, [anEvent()]),
        'an old key that goes': () => other.purge(after(LATER, duration(1)), 1),
      };
      for (const [what, change] of Object.entries(changes)) {
        const answers = await answersOf(port);
        const before = structuredClone(answers);
        await change();
        const now = await answersOf(port);
        expect(now, `after ${what} by a peer`).to.deep.equal(await answersOf(await peer()));
        expect(now, `after ${what} by a peer`).not.to.deep.equal(before);
        expect(answers, `what was answered before ${what}`).to.deep.equal(before);
      }
    },
  },
  {
    id: 'api-key-store/find-aborted',
    says: 'an aborted signal rejects with its reason',
    check: async ({ port }) => {
      await port.create(anApiKey(1), [anEvent()]);
      await expectAbortedAlone({
        'a key': (signal) => port.find(anApiKeyId(1), signal),
        'no key': (signal) => port.find(anApiKeyId(2), signal),
      });
    },
  },
  {
    id: 'api-key-store/lets-go',
    says: 'of a call that has ended nothing is left: no listener on its signal, no open file or connection',
    check: async ({ port, unreachable }) => {
      const dead = await unreachable();
      let made = 1;
      await port.create(anApiKey(1), [anEvent()]);
      await expectNothingLeft({
        ...inEveryEnd(port, dead, {
          find: (store, signal) => store.find(anApiKeyId(1), signal),
          'no key': (store, signal) => store.find(anApiKeyId(2), signal),
        }),
        list: () => port.list(everyKeyOf()),
        countLive: () => port.countLive(anApiKey(1).account),
        purge: () => port.purge(START, 1),
        touch: () => port.touch(anApiKeyId(1), LATER, START),
        'a key and its end': async () => {
          made += 1;
          await port.create(anApiKey(made), []);
          await port.createFirst(anApiKey(made), []);
          await port.revoke(anApiKeyId(made), LATER, []);
        },
      });
    },
  },
  {
    id: 'api-key-store/unreachable',
    says: 'while the database does not answer, every call rejects with the fault store_unavailable and what caused it',
    check: async ({ unreachable }) => {
      const port = await unreachable();
      const calls: Readonly<Record<keyof ApiKeyStore, Promise<unknown>>> = {
        create: port.create(anApiKey(1), [anEvent()]),
        createFirst: port.createFirst(anApiKey(1), [anEvent()]),
        find: port.find(anApiKeyId(1)),
        list: port.list(everyKeyOf()),
        countLive: port.countLive(anApiKey(1).account),
        purge: port.purge(START, 1),
        revoke: port.revoke(anApiKeyId(1), START, [anEvent()]),
        touch: port.touch(anApiKeyId(1), LATER, START),
      };
      await expectFaults('store_unavailable', calls);
    },
  },
];
