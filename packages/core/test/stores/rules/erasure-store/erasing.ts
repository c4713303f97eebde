import { type AccountId, after, type Day, duration } from '@pinfold/core';
import type { StoreSubject } from '@pinfold/test-contracts';
import {
  ACCOUNT,
  aConsent,
  aKey,
  aLink,
  anApiKey,
  anEvent,
  aPublication,
  aRedemption,
  aRegistration,
  aReservation,
  aRole,
  aRoleId,
  aSession,
  aTakedown,
  aTokenHash,
  leaseOf,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  aRoleQuery,
  type ClauseTable,
  loadedRole,
  together,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { aChange } from '../name-store/values.ts';
import type { Stores } from '../stores.ts';
import {
  BY_OPERATOR,
  begin,
  ERASED_AT,
  ERASURE,
  erase,
  finish,
  newIds,
  OTHER,
  REPLACEMENT,
} from './erase.ts';
import { fill, PERSON } from './fill.ts';

type Clauses = ClauseTable<Stores, StoreSubject<Stores>>;

const NEWEST = { pin: undefined, since: undefined, after: undefined, limit: 100 };

const listOf = async ({ history }: Stores, account: AccountId | undefined) =>
  (await history.list({ ...NEWEST, account })).items;

export const erasingClauses: Clauses = {
  'erasure-store/begin: every peer sees the account as blocked, hidden and erasing, and its keys and sessions as unknown; of many concurrent calls the first replacement counts; a name without data is unknown':
    async (subject) => {
      const { port } = subject;
      await fill(port);
      expect(await begin(port, { account: OTHER })).to.equal('unknown');
      expect(await port.accounts.load(OTHER)).to.equal(undefined);
      const outcomes = await together(subject, 6, (peer, n) =>
        begin(peer, { replacement: `erased:${n}` as AccountId }),
      );
      expect(new Set(outcomes)).to.deep.equal(new Set(['begun']));
      const peer = await subject.peer();
      const [erasure, ...others] = await peer.erasures.list(undefined, 10);
      expect(others).to.deep.equal([]);
      expect(erasure?.account).to.equal(ACCOUNT);
      const { value } = (await peer.accounts.load(ACCOUNT)) ?? {};
      expect(value?.blocked).to.include({ sites: 'hide', at: ERASED_AT, isErasing: true });
      expect(value?.generation).to.equal(2);
      expect(await loadedRole(peer.roles, aRoleId(1))).to.include({ isHidden: true, accountGeneration: 2 });
      expect(await peer.apiKeys.find(anApiKey(1).id)).to.equal(undefined);
      expect(await peer.sessions.find(aTokenHash(1), START)).to.equal(undefined);
      const replacementBlock = (await port.accounts.load(erasure?.replacement as AccountId))?.value.blocked;
      expect(replacementBlock).to.include({ sites: 'hide' });
      await port.sessions.offer(aLink(9, { account: OTHER }), []);
      expect(await begin(port, { account: OTHER }), 'with an unused link alone').to.equal('begun');
    },
  'erasure-store/refused: while an account is being erased, every peer refuses to change or publish anything of it, to begin a session and to create a key, even with the authority of the operator':
    withPeer(async (port, other) => {
      await fill(port);
      const before = await loadedRole(port.roles, aRoleId(1));
      await begin(other);
      const { roles, apiKeys, names, accounts, sessions } = port;
      expect(await roles.reserve(aReservation(20))).to.include({ code: 'account_blocked' });
      const commit = await roles.commit(aPublication(9), leaseOf(aReservation(9)), [anEvent()]);
      expect(commit).to.include({ code: 'account_blocked' });
      const changed = { ...before.value, title: null };
      expect(await roles.save(changed, before.version, [])).to.include({ code: 'account_blocked' });
      const byKey = { key: anApiKey(1).id };
      const again = aReservation(21, { credential: byKey });
      expect(await roles.reserve(again)).to.include({ code: 'unauthorized' });
      expect(await roles.save(changed, before.version, [], 'account', byKey)).to.include({
        code: 'unauthorized',
      });
      expect(await names.set(aChange(2, { role: aRoleId(1) }), [])).to.include({ code: 'account_blocked' });
      for (const authority of ['account', 'operator'] as const) {
        expect(await apiKeys.create(anApiKey(30), [], authority)).to.include({ code: 'account_blocked' });
      }
      expect(await sessions.begin(aSession(30), [anEvent()])).to.include({ code: 'account_blocked' });
      const redemption = aRedemption(aLink(1), aSession(31));
      expect(await sessions.redeem(redemption, [])).to.deep.equal({ kind: 'unknown' });
      const loaded = await accounts.load(ACCOUNT);
      expect(loaded?.value.blocked?.isErasing).to.equal(true);
    }),
  'erasure-store/list: exactly the accounts whose erasure has begun and not ended are listed, in order of name, after a name, at most the limit':
    withPeer(async (port, other) => {
      const names = ['a', 'b', 'c', 'd'] as AccountId[];
      for (const [n, account] of names.entries()) {
        await port.apiKeys.create(anApiKey(n, { account }), []);
        if (account !== 'b') {
          await begin(port, { account, replacement: `erased:${n}` as AccountId });
        }
      }
      await finish(port, { account: 'c' as AccountId, replacement: 'erased:2' as AccountId });
      const [first, ...more] = await other.erasures.list(undefined, 10);
      expect([first, ...more]).to.deep.equal([
        { account: 'a', replacement: 'erased:0' },
        { account: 'd', replacement: 'erased:3' },
      ]);
      expect(await other.erasures.list(undefined, 1)).to.deep.equal([first]);
      expect(await other.erasures.list(first?.account, 10)).to.deep.equal(more);
    }),
  'erasure-store/advance: steps of any peers, concurrent or one after the other, come to an end; then keys, sessions, links, consents, names, views and Idempotency-Keys of the account are removed, its publications are stopped, without texts and under the replacement, and its events have no actor, address and name':
    async (subject) => {
      const { port } = subject;
      await fill(port);
      const types = (await listOf(port, ACCOUNT)).map(({ id, type, at }) => ({ id, type, at }));
      await begin(port);
      await together(subject, 3, (peer) => finish(peer));
      const { roles, apiKeys, sessions, pairings, names, views, attempts } = await subject.peer();
      for (const n of [1, 2, 3]) {
        const { value } = await loadedRole(roles, aRoleId(n));
        expect(value).to.deep.equal({
          ...aRole(n),
          account: REPLACEMENT,
          idempotencyKey: null,
          title: null,
          originalFilename: null,
          passwordHash: '',
          deletedAt: n === 2 ? START : ERASED_AT,
          generation: n === 2 ? 1 : 2,
        });
        expect(await roles.loadManifest(value.archive)).to.equal(undefined);
      }
      const all = { account: ACCOUNT, after: undefined, limit: 10 };
      expect(await apiKeys.list(all)).to.deep.equal([]);
      const [oldest, ...rest] = await apiKeys.list({ ...all, account: undefined });
      // The oldest key shows whether a start is the first.
      expect(rest).to.deep.equal([]);
      expect(oldest).to.include({
        id: anApiKey(1).id,
        account: REPLACEMENT,
        label: '',
        revokedAt: ERASED_AT,
      });
      expect(await sessions.find(aTokenHash(1), START)).to.equal(undefined);
      const link = aLink(1);
      expect(await sessions.redeem(aRedemption(link, aSession(9)), [])).to.deep.equal({ kind: 'unknown' });
      expect(await pairings.find(aRegistration(1).secretHash, START)).to.equal(undefined);
      expect(await names.list(ACCOUNT, undefined, 10)).to.deep.equal([]);
      expect(await views.list(aRoleId(1), 0 as Day)).to.deep.equal([]);
      expect(await attempts.purge(ERASED_AT, 10), 'tries of passwords').to.equal(0);
      const key = { account: ACCOUNT, idempotencyKey: aKey(1) };
      expect((await roles.list(aRoleQuery(key))).items).to.deep.equal([]);
      expect((await roles.reserve(aReservation(1))).kind, 'the key of a new account').to.equal('reserved');
      const events = await listOf(port, REPLACEMENT);
      expect(events.map(({ id, type, at }) => ({ id, type, at }))).to.include.deep.members(types);
      for (const { actor, address, name, request, type } of events) {
        if (type === 'account.erased') continue;
        expect([actor.id, address, name, request]).to.deep.equal([null, null, null, null]);
      }
      expect(await listOf(port, ACCOUNT)).to.deep.equal([]);
      const feed = await port.history.feed({ account: REPLACEMENT, pin: undefined, after: 0, limit: 100 });
      expect(feed.items.map(({ number }) => number)).to.deep.equal(feed.items.map((_, n) => n + 1));
      expect(feed.items.at(-1)?.event.type).to.equal('account.erased');
      expect(feed.items.map(({ event }) => event.id)).to.have.members(events.map(({ id }) => id));
    },
  'erasure-store/persons: the ids of persons who acted as the account are removed from the events of all accounts, and other actors remain':
    withPeer(async (port, other) => {
      const bob = { kind: 'person', id: 'bob' } as const;
      const admin = { kind: 'person', id: 'admin' } as const;
      await fill(port);
      await port.sessions.begin(aSession(5, { account: OTHER }), [
        anEvent({ account: OTHER, actor: PERSON, address: '192.0.2.1', type: 'link.created' }),
        anEvent({ account: OTHER, actor: bob, address: '192.0.2.2', type: 'key.created' }),
        anEvent({ account: OTHER, actor: { kind: 'key', id: 'alice' }, type: 'key.revoked' }),
        anEvent({ account: OTHER, actor: admin, type: 'session.ended' }),
        anEvent({ account: ACCOUNT, actor: admin, asOperator: true, type: 'account.limits_changed' }),
        anEvent({ account: ACCOUNT, actor: { kind: 'key', id: 'bob' }, type: 'key.created' }),
      ]);
      await port.mode.change({ kind: 'read_only', message: null }, [
        anEvent({ account: null, actor: PERSON }),
      ]);
      await erase(other);
      const events = await listOf(other, OTHER);
      const actors = Object.fromEntries(
        events.map(({ type, actor, address }) => [type, [actor.id, address]]),
      );
      expect(actors).to.deep.equal({
        'link.created': [null, null],
        'key.created': ['bob', '192.0.2.2'],
        'key.revoked': ['alice', null],
        'session.ended': ['admin', null],
      });
      const ofService = (await listOf(other, undefined)).filter(({ account }) => account === null);
      expect(ofService.map(({ actor }) => actor)).to.deep.equal([{ kind: 'person', id: null }]);
    }),
  'erasure-store/takedowns: takedowns remain in force, with their reasons, under the replacement': withPeer(
    async (port, other) => {
      await fill(port);
      await port.takedowns.takeDown(aTakedown(1), await port.roles.load(aRoleId(1)), []);
      await port.takedowns.takeDown(aTakedown(8, { account: OTHER }), undefined, []);
      await erase(other);
      expect(await other.takedowns.of([aRoleId(1), aRoleId(8)])).to.have.deep.members([
        aTakedown(1, { account: REPLACEMENT }),
        aTakedown(8, { account: OTHER }),
      ]);
      expect(await other.takedowns.isForbidden(aTakedown(1).sha256)).to.equal(true);
    },
  ),
  'erasure-store/ended: afterwards the account is unknown, the replacement is blocked and hidden, and its last event records the erasure':
    withPeer(async (port, other) => {
      await fill(port);
      await erase(port);
      expect(await other.accounts.load(ACCOUNT)).to.equal(undefined);
      expect(await begin(other)).to.equal('unknown');
      expect((await other.accounts.load(REPLACEMENT))?.value.blocked).to.include({ sites: 'hide' });
      const [last] = await listOf(other, REPLACEMENT);
      expect(last).to.deep.include({ type: 'account.erased', actor: BY_OPERATOR, address: null, pin: null });
      expect(await other.erasures.advance(ERASURE, ERASED_AT, newIds(other))).to.equal('erased');
      expect(
        (await listOf(other, REPLACEMENT)).filter(({ type }) => type === 'account.erased'),
      ).to.have.length(1);
      await publishTo(other.roles, aPublication(20));
      expect((await other.accounts.load(ACCOUNT))?.value, 'a new account').to.include({ blocked: null });
    }),
  'erasure-store/gone: afterwards no peer accepts a key or session of the account for reserving, publishing, creating, agreeing or beginning, and the name remains unknown':
    withPeer(async (port, other) => {
      await fill(port);
      await port.pairings.register(aRegistration(2));
      await erase(other);
      const { roles, apiKeys, sessions, pairings, names, accounts } = port;
      const { secretHash } = aRegistration(2);
      for (const credential of [
        { key: anApiKey(2).id, isKeyStored: true },
        { session: aTokenHash(1), key: anApiKey(1).id },
      ]) {
        // Like a caller with the key of another account.
        await roles.reserve(aReservation(31, { account: OTHER }));
        const lease = leaseOf(aReservation(31, { account: OTHER }));
        for (const outcome of [
          await roles.reserve(aReservation(30, { credential })),
          await roles.commit({ ...aPublication(31), credential }, lease, [anEvent()]),
          await names.set(aChange(3, { role: aRoleId(1), credential }), [anEvent()]),
          await apiKeys.create(anApiKey(31), [anEvent()], 'account', null, credential),
          await sessions.begin(aSession(31), [anEvent()], undefined, credential),
          await pairings.agree(secretHash, aConsent(2), START, [anEvent()], credential),
        ]) {
          expect(outcome).to.include({ kind: 'refused', code: 'unauthorized' });
        }
      }
      expect(await accounts.load(ACCOUNT)).to.equal(undefined);
      expect(await begin(other)).to.equal('unknown');
      expect((await pairings.find(secretHash, START))?.consent).to.equal(null);
    }),
  'erasure-store/others: data of other accounts does not change': withPeer(async (port, other) => {
    await fill(port);
    await fill(port, OTHER, 100);
    const readAll = async () => {
      const ids = [1, 2, 3].map((n) => aRoleId(100 + n));
      const { apiKeys, sessions, names, views, roles, accounts, pairings } = other;
      return {
        roles: await Promise.all(ids.map((id) => roles.load(id))),
        keys: await apiKeys.list({ account: OTHER, after: undefined, limit: 10 }),
        session: await sessions.find(aTokenHash(101), START),
        consent: await pairings.find(aRegistration(101).secretHash, START),
        names: await names.list(OTHER, undefined, 10),
        views: await views.list(aRoleId(101), 0 as Day),
        account: await accounts.load(OTHER),
        replay: await roles.reserve(aReservation(0, { account: OTHER, key: aKey(101) })),
      };
    };
    const before = await readAll();
    expect(before.replay).to.include({ kind: 'complete' });
    await erase(port);
    expect(await readAll()).to.deep.equal(before);
  }),
  'erasure-store/naming: takedowns whose reason contains the text are found, even lifted ones': withPeer(
    async (port, other) => {
      const [one, two, three] = ['by alice', 'by Alice', 'ask alice%'].map((reason, n) =>
        aTakedown(n + 1, { reason }),
      ) as [ReturnType<typeof aTakedown>, ReturnType<typeof aTakedown>, ReturnType<typeof aTakedown>];
      for (const takedown of [one, two, three]) await port.takedowns.takeDown(takedown, undefined, []);
      await port.takedowns.lift(one, after(START, duration(1)), []);
      const found = await other.erasures.takedownsNaming('alice');
      expect(found.map(({ id }) => id)).to.have.members([one.id, three.id]);
      expect(await other.erasures.takedownsNaming('alice%')).to.deep.equal([three]);
    },
  ),
};
