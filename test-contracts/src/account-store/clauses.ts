import {
  type Account,
  type AccountId,
  accountId,
  after,
  days,
  type Generation,
  hours,
  instant,
} from '@pinfold/core';
import { FIRST_GENERATION, NO_ACCOUNT_LIMITS } from '@pinfold/core/adapter';
import { expect } from 'chai';
import { together } from '../concurrently.ts';
import { type AccountStores, type StoreClauses, withPeer } from '../contract.ts';
import { ALL_LIMITS, anAccount, anAccountName, BLOCK } from '../fixtures/accounts.ts';
import { START } from '../fixtures/clock.ts';
import { aLink, anApiKey, aRedemption, aSession } from '../fixtures/credentials.ts';
import { anEvent, aPublication, aRole, publishTo } from '../fixtures/roles.ts';
import { walk } from '../walk.ts';

/** An account of which only the row exists. */
function newAccount(name: AccountId): Account {
  const unpublished = { lastPublishedAt: null, publicationsMark: null };
  return { name, limits: NO_ACCOUNT_LIMITS, blocked: null, generation: FIRST_GENERATION, ...unpublished };
}

async function create({ accounts }: AccountStores, n: number, name = anAccountName(n)): Promise<void> {
  const saved = await accounts.save({ ...anAccount(n), name }, undefined, [anEvent()]);
  expect(saved.kind, `account ${n}`).to.equal('saved');
}

/** Creates the `n`th key, session or publication of an account, and thereby its row. */
const MAKERS: readonly ((stores: AccountStores, n: number, account: AccountId) => Promise<unknown>)[] = [
  ({ apiKeys }, n, account) => apiKeys.create(anApiKey(n, { account }), [anEvent()]),
  ({ apiKeys }, n, account) => apiKeys.createFirst(anApiKey(n, { account }), [anEvent()]),
  ({ sessions }, n, account) => sessions.begin(aSession(n, { account }), [anEvent()]),
  async ({ sessions }, n, account) => {
    const link = aLink(n, { account });
    await sessions.offer(link, [anEvent()]);
    await sessions.redeem(aRedemption(link, aSession(100 + n)), []);
  },
  ({ roles }, n, account) => publishTo(roles, aPublication(n, { account })),
];

export const accountClauses: StoreClauses<AccountStores> = {
  'account-store/load: an account is loaded as any peer saved it last, with every field; an unknown name is undefined, and names are compared exactly':
    withPeer(async (port, other) => {
      const name = accountId('Ünïted ü');
      await create(port, 1, name);
      const loaded = await other.accounts.load(name);
      expect(loaded?.value).to.deep.equal(newAccount(name));
      const generation = 7 as Generation;
      // The longest reason, with two code units per character.
      const blocked = { ...BLOCK, reason: `z${'\u{1f3a3}'.repeat(254)}` };
      const change = { name, limits: ALL_LIMITS, blocked, generation };
      await other.accounts.save(change, loaded?.version, [anEvent()]);
      expect((await port.accounts.load(name))?.value).to.deep.equal({ ...newAccount(name), ...change });
      for (const unknown of ['ünïted ü', 'Ünïted ü ', 'Ünïted', 'Ünïted ü'.normalize('NFD')]) {
        expect(await port.accounts.load(accountId(unknown)), unknown).to.equal(undefined);
      }
    }),
  'account-store/made: an account exists, without limits or block, from its first key, publication or session on, even if many of those are concurrent':
    async (_, another) => {
      for (const [n, make] of MAKERS.entries()) {
        const { port, peer } = await another();
        const name = anAccountName(n);
        await make(port, n, name);
        const lastPublishedAt = n === MAKERS.length - 1 ? START : null;
        const made = (await (await peer()).accounts.load(name))?.value;
        expect(made, `maker ${n}`).to.deep.equal({ ...newAccount(name), lastPublishedAt });
      }
      const subject = await another();
      const name = anAccountName(1);
      await together(subject, 3 * MAKERS.length, async (stores, n) =>
        MAKERS[n % MAKERS.length]?.(stores, n, name),
      );
      const listed = await subject.port.accounts.list(undefined, 10);
      expect(listed).to.deep.equal([{ ...newAccount(name), lastPublishedAt: START }]);
    },
  'account-store/save-lost-race: a save with an old version, or with none for a stored account, is a conflict and changes nothing':
    withPeer(async (port, { accounts }) => {
      const conflict = { kind: 'conflict' };
      const [name, change] = [anAccountName(1), anAccount(1, { limits: ALL_LIMITS })];
      await create(port, 1);
      const first = await accounts.load(name);
      expect(await accounts.save(change, undefined, [anEvent()]), 'as if new').to.deep.equal(conflict);
      expect(await accounts.load(name)).to.deep.equal(first);
      await port.accounts.save(anAccount(1, { blocked: BLOCK }), first?.version, [anEvent()]);
      const second = await accounts.load(name);
      expect(await accounts.save(change, first?.version, [anEvent()]), 'overtaken').to.deep.equal(conflict);
      expect(await accounts.load(name)).to.deep.equal(second);
      await publishTo(port.roles, aPublication(1, { account: anAccountName(2) }));
      const published = await accounts.load(anAccountName(2));
      await publishTo(port.roles, aPublication(2, { account: anAccountName(2) }));
      const saved = await accounts.save(anAccount(2), published?.version, [anEvent()]);
      expect(saved.kind, 'a publication is no change').to.equal('saved');
    }),
  'account-store/save-race: of many concurrent saves of one version exactly one is stored': async (
    subject,
  ) => {
    const race = async (loadedAt: Parameters<AccountStores['accounts']['save']>[1]): Promise<void> => {
      const generation = (n: number): Generation => (n + 10) as Generation;
      const outcomes = await together(subject, 9, ({ accounts }, n) =>
        accounts.save(anAccount(1, { generation: generation(n) }), loadedAt, [anEvent()]),
      );
      const winners = outcomes.flatMap(({ kind }, n) => (kind === 'saved' ? [generation(n)] : []));
      expect(winners).to.have.lengthOf(1);
      expect((await subject.port.accounts.load(anAccountName(1)))?.value.generation).to.equal(winners[0]);
    };
    await race(undefined);
    await race((await subject.port.accounts.load(anAccountName(1)))?.version);
  },
  'account-store/list: pages after a name, up to one that is not full, have every account exactly once, in order':
    async ({ port, peer }) => {
      const names = ['B', 'a', 'aa', 'a b', 'é', '中', '\u{ffee}', '\u{1f600}', 'z'].map(accountId);
      for (const [n, name] of names.entries()) await create(port, n, name);
      const { accounts } = await peer();
      const walked = await walk<Account>(2, (last) => accounts.list(last?.name, 2));
      const order = ['B', 'a', 'a b', 'aa', 'z', 'é', '中', '\u{ffee}', '\u{1f600}'].map(accountId);
      expect(walked.map(({ name }) => name)).to.deep.equal(order);
    },
  'account-store/used: publications in service are counted until their end, with the bytes of their archives, and so are those published in the 24 hours before':
    async ({ port, peer }) => {
      const { accounts, roles } = port;
      const name = anAccountName(1);
      const own = { account: name, archiveBytes: 3_000_000_000 };
      const lives = [
        { publishedAt: START, expiresAt: after(START, hours(2)) },
        { publishedAt: START, expiresAt: null, pinned: true },
        { publishedAt: START, expiresAt: after(START, days(7)), deletedAt: after(START, hours(1)) },
        { publishedAt: after(START, hours(1)), expiresAt: after(START, days(8)) },
      ];
      for (const [n, life] of lives.entries()) await publishTo(roles, aPublication(n, { ...own, ...life }));
      await publishTo(roles, { ...aPublication(9), role: aRole(9, { account: anAccountName(2) }) });
      const use = (at: number) => accounts.usedBy(name, instant(at));
      const end = after(START, hours(2));
      expect(await use(end - 1)).to.deep.equal({ sites: 3, bytes: 9_000_000_000, publications24h: 4 });
      expect(await use(end), 'an end').to.deep.equal({ sites: 2, bytes: 6_000_000_000, publications24h: 4 });
      const aDay = after(START, days(1));
      expect((await use(aDay - 1)).publications24h, 'within a day').to.equal(4);
      expect((await use(aDay)).publications24h, 'a day later').to.equal(1);
      expect(await use(after(START, days(9)))).to.deep.equal({
        sites: 1,
        bytes: 3_000_000_000,
        publications24h: 0,
      });
      const nobody = await (await peer()).accounts.usedBy(anAccountName(3), START);
      expect(nobody).to.deep.equal({ sites: 0, bytes: 0, publications24h: 0 });
    },
};
