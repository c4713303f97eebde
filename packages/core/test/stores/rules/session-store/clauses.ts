import {
  type AccountId,
  type ApiKeyId,
  after,
  before,
  duration,
  hours,
  instant,
  type Session,
  type SessionStore,
} from '@pinfold/core';
import type { StoreSubject, Subject } from '@pinfold/test-contracts';
import { aLink, anEvent, aRedemption, aSession, aTokenHash, START } from '@pinfold/test-contracts/fixtures';
import {
  type ClauseTable,
  everyText,
  expectApart,
  inEachEra,
  together,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { expectEveryDigitToCount, sessionOf, startByLink } from './alike.ts';
import { NEARLY_ZERO_HASH, ZERO_HASH } from './hashes.ts';

const UNKNOWN = { kind: 'unknown' };
const MOMENT = duration(1);

/** The smallest and largest values of a session. */
const SESSIONS: readonly Session[] = [
  aSession(1),
  aSession(2, {
    ...{ apiKey: 'AbC9' as ApiKeyId, account: 'AbC9' as AccountId, displayName: 'AbC9' },
    actor: { kind: 'person', id: 'AbC9' },
  }),
  aSession(3, {
    account: `Δ 🧭 e\u0301${'a'.repeat(249)}` as AccountId,
    endsAt: instant(Number.MAX_SAFE_INTEGER),
  }),
  aSession(5, {
    ...{ account: '%41' as AccountId, scope: 'admin', displayName: `Ada 'x' "%_🧭$$` },
    actor: { kind: 'person', id: 'idp:sub' },
  }),
  aSession(6, {
    ...{ apiKey: 'AbC9' as ApiKeyId, displayName: '' },
    actor: { kind: 'key', id: 'abc9' },
  }),
  aSession(7, { actor: { kind: 'system', id: null }, displayName: `e\u0301${'x'.repeat(20_000)} .` }),
  aSession(8, { account: '007' as AccountId, actor: { kind: 'person', id: 'sub' } }),
  aSession(4, { tokenHash: ZERO_HASH, startedAt: instant(1) }),
  aSession(9, { startedAt: aSession(1).startedAt }),
];

export const sessionClauses: ClauseTable<SessionStore, StoreSubject<SessionStore>> = {
  'session-store/offer: an offered link can be redeemed through every peer, for its account': withPeer(
    async (port, other, _, another) => {
      const account = ` Globex '"%_🧭` as AccountId;
      const [mine, theirs] = [aLink(1), aLink(2, { account, actor: aLink(1).actor })];
      const session = aSession(2, { account, actor: theirs.actor });
      await port.offer(mine, [anEvent()]);
      await other.offer(theirs, [anEvent()]);
      expect(await other.redeem(aRedemption(mine, aSession(1)), [anEvent()])).to.deep.include({
        kind: 'redeemed',
      });
      const redeemed = await port.redeem(aRedemption(theirs, aSession(2)), [anEvent()]);
      expect(redeemed).to.deep.equal({ kind: 'redeemed', session, ended: 0 });
      const link = aLink(3);
      const early = await port.redeem(aRedemption(link, aSession(3)), [anEvent()]);
      expect(early, 'before it was offered').to.deep.equal(UNKNOWN);
      await other.offer(link, [anEvent()]);
      expect(await other.find(link.tokenHash, START), 'a link is no session').to.equal(undefined);
      const all = { account: undefined, now: START, after: undefined, limit: 10 };
      expect(await other.list(all)).to.deep.equal([aSession(1), session]);
      await other.end(link.tokenHash, [anEvent()]);
      const late = await port.redeem(aRedemption(link, aSession(3)), [anEvent()]);
      expect(late, 'no session has ended').to.deep.include({ kind: 'redeemed' });
      const alike = await another();
      const near = await alike.peer();
      await expectApart(everyText.map(sessionOf), {
        write: (session) => startByLink(alike.port, session),
        read: ({ tokenHash }) => near.find(tokenHash, START),
      });
    },
  ),
  'session-store/redeem-once: of many concurrent and later calls exactly one redeems a link; every peer then sees its session, with the account, the creator and the scope of the link, and every other field as given':
    async (subject) => {
      const link = aLink(1);
      const before = aSession(30);
      await subject.port.begin(before, [anEvent()]);
      await subject.port.offer(link, [anEvent()]);
      await subject.port.offer(aLink(2, { scope: 'admin' }), [anEvent()]);
      const all = { account: before.account, now: START, after: undefined, limit: 10 };
      const outcomes = await together(subject, 20, async (store, n) => {
        const outcome = await store.redeem(aRedemption(link, aSession(n)), [anEvent()]);
        expect(await store.list(all), 'once a call redeemed it').to.have.lengthOf(2);
        return outcome;
      });
      const won = outcomes.flatMap((outcome) => (outcome.kind === 'redeemed' ? [outcome.session] : []));
      expect(won).to.have.lengthOf(1);
      const peer = await subject.peer();
      expect(await peer.redeem(aRedemption(link, aSession(50)), [anEvent()]), 'later').to.deep.equal(UNKNOWN);
      const again = await peer.redeem(aRedemption(link, won[0] as Session), [anEvent()]);
      expect(again, 'for the same session').to.deep.equal(UNKNOWN);
      for (const n of [...Array(20).keys(), 50]) {
        const expected = won.find(({ tokenHash }) => tokenHash === aTokenHash(n));
        expect(await peer.find(aTokenHash(n), START), `session ${n}`).to.deep.equal(expected);
      }
      expect(await peer.find(before.tokenHash, START), 'of the same account').to.deep.equal(before);
      await peer.end((won[0] as Session).tokenHash, [anEvent()]);
      expect(
        await peer.redeem(aRedemption(link, aSession(51)), [anEvent()]),
        'after its session has ended',
      ).to.deep.equal(UNKNOWN);
      const another = await peer.redeem(aRedemption(aLink(2), aSession(60)), [anEvent()]);
      expect(another.kind, 'another').to.equal('redeemed');
      expect((await subject.port.find(aTokenHash(60), START))?.scope).to.equal('admin');
      for (const [n, session] of SESSIONS.entries()) {
        const { account, actor, scope } = session;
        const made = aLink(10 + n, { account, actor, scope });
        await subject.port.offer(made, [anEvent()]);
        const redeemed = await peer.redeem(aRedemption(made, session), [anEvent()]);
        expect(redeemed).to.deep.equal({ kind: 'redeemed', session, ended: 0 });
        expect(await subject.port.find(session.tokenHash, START)).to.deep.equal(session);
      }
    },
  'session-store/redeem-ended: a link that has ended or was never offered is unknown and begins no session, even a link from a clock that was ahead, which ends over an hour later than a link of now':
    inEachEra(async (port, _, start) => {
      const endsAt = after(start, hours(1));
      await port.offer(aLink(1, { endsAt }), [anEvent()]);
      await port.offer(aLink(2, { endsAt }), [anEvent()]);
      await port.offer(aLink(5, { endsAt: start }), [anEvent()]);
      await port.offer(aLink(6, { endsAt: after(start, duration(7_200_001)) }), [anEvent()]);
      const session = aSession(1, { startedAt: start, endsAt: after(endsAt, hours(12)) });
      for (const [link, now] of [
        [aLink(1), endsAt],
        [aLink(1), after(endsAt, MOMENT)],
        [aLink(3), start],
        [aLink(5), start],
        [aLink(6), start],
      ] as const) {
        expect(await port.redeem(aRedemption(link, session, { now }), [anEvent()])).to.deep.equal(UNKNOWN);
      }
      await port.offer(aLink(4, { tokenHash: ZERO_HASH, endsAt }), [anEvent()]);
      for (const link of NEARLY_ZERO_HASH) {
        const request = { ...aRedemption(aLink(4), session, { now: start }), link };
        expect(await port.redeem(request, [anEvent()]), link).to.deep.equal(UNKNOWN);
      }
      expect(await port.find(session.tokenHash, start)).to.equal(undefined);
      const justInTime = aRedemption(aLink(2), session, { now: before(endsAt, MOMENT) });
      expect((await port.redeem(justInTime, [anEvent()])).kind).to.equal('redeemed');
    }),
  'session-store/begin: every peer finds a session that began, with every field': withPeer(
    async (port, other, _, another) => {
      for (const session of SESSIONS) {
        await port.begin(session, [anEvent()]);
        expect(await other.find(session.tokenHash, START)).to.deep.equal(session);
        expect(await port.find(session.tokenHash, START)).to.deep.equal(session);
      }
      for (const session of SESSIONS) {
        expect(await other.find(session.tokenHash, START), 'once others began').to.deep.equal(session);
      }
      const alike = await another();
      const others = await alike.peer();
      await expectApart(everyText.map(sessionOf), {
        write: async (session) => expect(await alike.port.begin(session, [])).to.deep.equal({ ended: 0 }),
        read: ({ tokenHash }) => others.find(tokenHash, START),
      });
    },
  ),
  'session-store/find: a session is found until it ends; hashes are compared exactly, and an unknown one is undefined':
    async (subject, another) => {
      await inEachEra<Subject<SessionStore>>(async (port, other, start, { peer }) => {
        expect(await port.find(aTokenHash(1), start), 'none yet').to.equal(undefined);
        const endsAt = after(start, hours(12));
        const session = aSession(4, { tokenHash: ZERO_HASH, startedAt: start, endsAt });
        await port.begin(session, [anEvent()]);
        expect(await port.find(session.tokenHash, before(start, MOMENT)), 'early').to.deep.equal(session);
        expect(await other.find(session.tokenHash, before(endsAt, MOMENT))).to.deep.equal(session);
        expect(await other.find(session.tokenHash, endsAt), 'at its end').to.equal(undefined);
        expect(await port.find(session.tokenHash, after(endsAt, hours(1))), 'later').to.equal(undefined);
        const behind = await (await peer()).find(session.tokenHash, start);
        expect(behind, 'by a clock behind').to.deep.equal(session);
        for (const hash of NEARLY_ZERO_HASH) {
          expect(await other.find(hash, start), hash).to.equal(undefined);
        }
      })(subject, another);
      await expectEveryDigitToCount(subject);
    },
};
