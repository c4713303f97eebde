import {
  type AccountId,
  type ApiKeyId,
  after,
  before,
  days,
  duration,
  hours,
  minutes,
  type Session,
  type SessionLimits,
  type SessionStore,
} from '@pinfold/core';
import type { StoreSubject } from '@pinfold/test-contracts';
import { aLink, anEvent, aRedemption, aSession, aTokenHash, START } from '@pinfold/test-contracts/fixtures';
import { type ClauseTable, recordedEvents, together, withPeer } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

const ADA: Pick<Session, 'actor'> = { actor: { kind: 'person', id: 'ada' } };
const BOB: Pick<Session, 'actor'> = { actor: { kind: 'person', id: 'bob' } };
const GLOBEX = 'globex' as AccountId;
const LIMITS: SessionLimits = { ofActor: 3, ofAccount: 5 };

export const boundClauses: ClauseTable<SessionStore, StoreSubject<SessionStore>> = {
  'session-store/begin-limit: a new session beyond a limit, even concurrent, ends the oldest ones by (startedAt, tokenHash): first those of the actor, then as many of the account as still exceed its limit; it never ends itself; sessions of other accounts and actors, and ended ones, do not count':
    withPeer(async (port, other, _, another) => {
      const remaining = async (store: SessionStore) =>
        (await store.list({ account: undefined, now: START, after: undefined, limit: 100 })).map(
          ({ tokenHash }) => Number.parseInt(tokenHash.slice(1), 16),
        );
      const begin = (n: number, more: Partial<Session>) => port.begin(aSession(n, more), [anEvent()], LIMITS);
      const endedEarly = { ...ADA, endsAt: after(START, duration(2)) };
      await port.begin(aSession(1, endedEarly), [anEvent()]);
      await port.begin(aSession(2, { ...ADA, account: GLOBEX }), [anEvent()]);
      for (const n of [5, 4, 3]) expect(await begin(n, ADA), `session ${n}`).to.deep.equal({ ended: 0 });
      expect(await remaining(other), 'as many as the limit').to.deep.equal([1, 2, 3, 4, 5]);
      expect(await begin(6, ADA)).to.deep.equal({ ended: 1 });
      expect(await remaining(other), 'the oldest of an actor').to.deep.equal([1, 2, 4, 5, 6]);
      expect(await begin(7, BOB)).to.deep.equal({ ended: 0 });
      await port.offer(aLink(8, BOB), [anEvent()]);
      const byLink = aSession(8, BOB);
      const redeemed = await other.redeem(
        aRedemption(aLink(8, BOB), byLink, { limits: { ofActor: 2, ofAccount: 5 } }),
        [anEvent()],
      );
      expect(redeemed).to.deep.equal({ kind: 'redeemed', session: byLink, ended: 0 });
      const carl: Pick<Session, 'actor'> = { actor: { kind: 'key', id: 'ada' } };
      expect(await begin(9, carl), 'of the account').to.deep.equal({ ended: 1 });
      expect(await remaining(other), 'the one that started first').to.deep.equal([1, 2, 5, 6, 7, 8, 9]);
      await port.begin(aSession(10, carl), [anEvent()]);
      expect(await remaining(other), 'without limits').to.have.lengthOf(8);
      expect(await begin(11, carl), 'above the limit').to.deep.equal({ ended: 2 });
      expect(await remaining(other)).to.deep.equal([1, 2, 7, 8, 9, 10, 11]);
      const early = aSession(12, { ...carl, startedAt: START, endsAt: after(START, hours(12)) });
      await port.begin(early, [anEvent()], { ofActor: 1, ofAccount: 5 });
      expect(await other.find(aTokenHash(12), START), 'one that began by a clock behind').to.deep.equal(
        early,
      );

      const both = await another();
      const limits = { ofActor: 1, ofAccount: 2 };
      for (const [n, person] of [ADA, BOB, BOB].entries()) {
        const outcome = await both.port.begin(aSession(n + 1, person), [], limits);
        expect(outcome, `of ${n + 1} past both limits`).to.deep.equal({ ended: n < 2 ? 0 : 1 });
      }
      expect(await remaining(both.port), 'an account does not lose more than it must').to.deep.equal([1, 3]);
      await both.port.offer(aLink(4, BOB), []);
      const last = await both.port.redeem(aRedemption(aLink(4, BOB), aSession(4, BOB), { limits }), []);
      expect(last, 'by a link').to.include({ kind: 'redeemed', ended: 1 });
      expect(await remaining(both.port)).to.deep.equal([1, 4]);

      const tied = await another();
      for (const n of [2, 1, 3]) {
        await tied.port.begin(aSession(n, { ...ADA, startedAt: START }), [], { ofActor: 2, ofAccount: 5 });
      }
      expect(await remaining(tied.port), 'of one instant').to.deep.equal([2, 3]);

      const many = await another();
      const outcomes = await together(many, 20, (store, n) =>
        store.begin(aSession(n, { ...ADA, startedAt: START }), [anEvent()], LIMITS),
      );
      expect(await remaining(many.port), 'of many at once').to.have.lengthOf(3);
      const ended = outcomes.map((outcome) => ('ended' in outcome ? outcome.ended : 0));
      expect(ended.reduce((sum, count) => sum + count, 0)).to.equal(17);
    }),
};

const UNKNOWN = { kind: 'unknown' };
const MOMENT = duration(1);

export const endingClauses: ClauseTable<SessionStore, StoreSubject<SessionStore>> = {
  'session-store/end: no peer finds an ended session at its next read, and others remain; ending again, or ending an unknown session, succeeds':
    async (subject) => {
      const { port, peer } = subject;
      const other = await peer();
      const apiKey = 'AbC9' as ApiKeyId;
      const [ended, stored] = [aSession(1, { apiKey }), aSession(2, { apiKey })];
      for (const session of [ended, stored]) await port.begin(session, [anEvent()]);
      for (const store of [port, other]) {
        expect(await store.find(aTokenHash(1), START), 'before').to.deep.equal(ended);
      }
      await other.end(aTokenHash(1), [anEvent()]);
      expect(await port.find(aTokenHash(1), START)).to.equal(undefined);
      expect(await other.find(aTokenHash(1), START)).to.equal(undefined);
      await port.end(aTokenHash(1), [anEvent()]);
      await port.end(aTokenHash(9), [anEvent()]);
      expect(await other.find(aTokenHash(1), START), 'ended again').to.equal(undefined);
      expect(await other.find(aTokenHash(2), START)).to.deep.equal(stored);
      await other.begin(aSession(9), [anEvent()]);
      expect(await port.find(aTokenHash(9), START), 'ended before it began').to.deep.equal(aSession(9));
      for (let n = 10; n < 40; n += 1) await port.begin(aSession(n), [anEvent()]);
      await together<SessionStore, unknown>(subject, 58, (store, n) =>
        n % 2 === 0
          ? store.begin(aSession(100 + n), [anEvent()])
          : store.end(aTokenHash(10 + (n - 1) / 2), [anEvent()]),
      );
      const remaining = await other.list({
        account: undefined,
        now: START,
        after: aTokenHash(9),
        limit: 100,
      });
      const begun = Array.from({ length: 29 }, (_, n) => aSession(100 + 2 * n));
      expect(remaining, 'once many were ended as others began').to.deep.equal([aSession(39), ...begun]);
    },
  'session-store/refuse: a refused sign-in ends no session and no link, and stores nothing for an account that does not exist':
    async ({ port, peer, history }) => {
      const other = await peer();
      await port.begin(aSession(1), [anEvent()]);
      await port.offer(aLink(2), [anEvent()]);
      const globex = 'globex' as AccountId;
      const { actor } = aSession(1);
      for (const account of [aSession(1).account, globex]) {
        for (let n = 0; n < 12; n += 1) {
          const at = after(START, minutes(n));
          await port.refuse(
            { ...anEvent({ type: 'session.refused', actor, at }), account },
            before(at, MOMENT),
          );
        }
      }
      const first = aSession(3, { account: globex });
      await port.begin(first, [anEvent()]);
      expect(await other.find(first.tokenHash, START), 'begun since').to.deep.equal(first);
      expect(await other.find(aTokenHash(1), START)).to.deep.equal(aSession(1));
      const justInTime = { now: before(aLink(2).endsAt, MOMENT) };
      const redeemed = await other.redeem(aRedemption(aLink(2), aSession(2), justInTime), []);
      expect(redeemed.kind).to.equal('redeemed');
      const refused = Array.from({ length: 40 }, (_, n) => {
        const account = `account ${n}` as AccountId;
        return { ...anEvent({ type: 'session.refused' }), account, at: after(START, days(1)) };
      });
      const expectRecorded = async (count: number): Promise<void> => {
        for (const store of [port, other])
          for (const event of refused) await store.refuse({ ...event, id: anEvent().id }, START);
        const events = await history?.();
        const recorded =
          events && (await recordedEvents({ history: events }, { since: after(START, days(1)) }));
        if (recorded !== undefined) expect(recorded).to.have.lengthOf(count);
      };
      await expectRecorded(0);
      for (const [n, { account }] of refused.entries()) await port.begin(aSession(100 + n, { account }), []);
      await expectRecorded(refused.length);
    },
  'session-store/purge: ended sessions and links are removed, at most the limit, and others remain': async ({
    port,
    peer,
  }) => {
    const other = await peer();
    const soon = after(START, minutes(5));
    await port.begin(aSession(0, { endsAt: after(soon, MOMENT) }), [anEvent()]);
    await port.offer(aLink(0, { endsAt: after(soon, MOMENT) }), [anEvent()]);
    for (const n of [1, 2, 3]) await port.begin(aSession(n, { endsAt: soon }), [anEvent()]);
    for (const n of [1, 2]) await port.offer(aLink(n, { endsAt: soon }), [anEvent()]);
    const early = aSession(5, { startedAt: after(soon, MOMENT) });
    await port.begin(early, [anEvent()]);
    await port.offer(aLink(5, { endsAt: before(soon, MOMENT) }), [anEvent()]);
    await port.redeem(aRedemption(aLink(5), aSession(6, { endsAt: soon })), [anEvent()]);
    await port.begin(aSession(7, { endsAt: soon, account: 'globex' as AccountId }), [anEvent()]);
    await port.end(aTokenHash(7), [anEvent()]);
    expect(await other.purge(before(soon, MOMENT), 100), 'too early').to.equal(0);
    expect(await other.purge(soon, 2), 'the limit').to.equal(2);
    expect(await other.purge(soon, 2), 'the limit again').to.equal(2);
    expect(await port.purge(soon, 100), 'the rest').to.equal(2);
    expect(await port.purge(soon, 100), 'nothing left').to.equal(0);
    for (const n of [1, 2, 3]) expect(await other.find(aTokenHash(n), START)).to.equal(undefined);
    for (const n of [1, 2, 5]) {
      expect(await port.redeem(aRedemption(aLink(n), aSession(10 + n)), [anEvent()])).to.deep.equal(UNKNOWN);
    }
    expect(await other.find(aTokenHash(0), START)).to.deep.include({ tokenHash: aTokenHash(0) });
    expect(await other.find(early.tokenHash, START), 'before it starts').to.deep.equal(early);
    expect((await other.redeem(aRedemption(aLink(0), aSession(20)), [anEvent()])).kind).to.equal('redeemed');
  },
};
