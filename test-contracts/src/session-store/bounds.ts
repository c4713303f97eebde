import {
  type AccountId,
  after,
  duration,
  hours,
  type Session,
  type SessionLimits,
  type SessionStore,
} from '@pinfold/core';
import { expect } from 'chai';
import { together } from '../concurrently.ts';
import { type ClauseTable, type StoreSubject, withPeer } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { anEvent } from '../fixtures/roles.ts';
import { aLink, aRedemption, aSession, aTokenHash } from '../fixtures/sessions.ts';

const ADA: Pick<Session, 'actor'> = { actor: { kind: 'person', id: 'ada' } };
const BOB: Pick<Session, 'actor'> = { actor: { kind: 'person', id: 'bob' } };
const GLOBEX = 'globex' as AccountId;
const LIMITS: SessionLimits = { ofActor: 3, ofAccount: 5 };

export const boundClauses: ClauseTable<SessionStore, StoreSubject<SessionStore>> = {
  'session-store/begin-limit: past a limit, of many at once too, the oldest end, by (startedAt, tokenHash), never the one that begins; sessions of other accounts and actors, and those that are over, do not count':
    withPeer(async (port, other, _, another) => {
      const left = async (store: SessionStore) =>
        (await store.list({ account: undefined, now: START, after: undefined, limit: 100 })).map(
          ({ tokenHash }) => Number.parseInt(tokenHash.slice(1), 16),
        );
      const begin = (n: number, more: Partial<Session>) => port.begin(aSession(n, more), [anEvent()], LIMITS);
      const over = { ...ADA, endsAt: after(START, duration(2)) };
      await port.begin(aSession(1, over), [anEvent()]);
      await port.begin(aSession(2, { ...ADA, account: GLOBEX }), [anEvent()]);
      for (const n of [5, 4, 3]) expect(await begin(n, ADA), `session ${n}`).to.deep.equal({ ended: 0 });
      expect(await left(other), 'as many as may be').to.deep.equal([1, 2, 3, 4, 5]);
      expect(await begin(6, ADA)).to.deep.equal({ ended: 1 });
      expect(await left(other), 'the oldest of an actor').to.deep.equal([1, 2, 4, 5, 6]);
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
      expect(await left(other), 'whose started first').to.deep.equal([1, 2, 5, 6, 7, 8, 9]);
      await port.begin(aSession(10, carl), [anEvent()]);
      expect(await left(other), 'without limits').to.have.lengthOf(8);
      expect(await begin(11, carl), 'above the limit').to.deep.equal({ ended: 2 });
      expect(await left(other)).to.deep.equal([1, 2, 7, 8, 9, 10, 11]);
      const early = aSession(12, { ...carl, startedAt: START, endsAt: after(START, hours(12)) });
      await port.begin(early, [anEvent()], { ofActor: 1, ofAccount: 5 });
      expect(await other.find(aTokenHash(12), START), 'one that began by a clock behind').to.deep.equal(
        early,
      );

      const many = await another();
      const outcomes = await together(many, 20, (store, n) =>
        store.begin(aSession(n, { ...ADA, startedAt: START }), [anEvent()], LIMITS),
      );
      expect(await left(many.port), 'of many at once').to.have.lengthOf(3);
      expect(outcomes.reduce((sum, { ended }) => sum + ended, 0)).to.equal(17);
    }),
};
