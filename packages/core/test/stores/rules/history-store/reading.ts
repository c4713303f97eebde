import { accountId, after, duration, type EventId, type Instant, type PinName } from '@pinfold/core';
import { ACCOUNT, anEvent, aRoleId, aSession, START } from '@pinfold/test-contracts/fixtures';
import {
  eventFor,
  loaded,
  publish,
  recordedEvents,
  type StoreClauses,
  uuidOf,
  walkEvents,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { HistoryStores } from '../stores.ts';

const at = (n: number): Instant => after(START, duration(n));

export const readingClauses: StoreClauses<HistoryStores> = {
  'history-store/list-order: events are listed newest first by (at, id), with every field': withPeer(
    async (port, other) => {
      const full = anEvent({
        id: uuidOf(1) as EventId,
        at: at(5),
        type: 'pin.taken_down',
        account: accountId('Ünïon "7"'),
        pin: aRoleId(1),
        name: 'pr-42' as PinName,
        actor: { kind: 'key', id: 'k1' },
        request: 'r-1',
        address: '2001:db8::1',
        asOperator: true,
        recordedAt: at(7),
      });
      const bare = anEvent({
        at: at(1),
        type: 'service.mode_changed',
        account: null,
        pin: null,
        actor: { kind: 'system', id: null },
      });
      const twins = [7, 3, 9].map((n) =>
        anEvent({ id: uuidOf(n) as EventId, at: at(3), name: 'a' as PinName }),
      );
      const written = [...twins, bare, full];
      for (const [n, event] of written.entries()) await port.sessions.begin(aSession(n), [event]);
      const descending = twins.toSorted((one, another) => (one.id > another.id ? -1 : 1));
      expect(await recordedEvents(other)).to.deep.equal([full, ...descending, bare]);
    },
  ),
  'history-store/list-pages: pages by cursor give every event exactly once, even of one instant and if others are stored meanwhile; the last page has no cursor':
    withPeer(async (port, other) => {
      const events = Array.from({ length: 11 }, (_, n) => anEvent({ at: at(Math.floor(n / 4)) }));
      await port.sessions.begin(aSession(0), events);
      let more = 0;
      const walked = await walkEvents(other, { limit: 3 }, async () => {
        more += 1;
        await port.sessions.begin(aSession(more), [anEvent({ at: at(100 + more) })]);
      });
      const order = events.toSorted((one, another) =>
        one.at === another.at ? (one.id > another.id ? -1 : 1) : another.at - one.at,
      );
      expect(walked).to.deep.equal(order);
      const all = 11 + more;
      const exact = await port.history.list({
        account: ACCOUNT,
        pin: undefined,
        since: undefined,
        after: undefined,
        limit: all,
      });
      expect(exact.items).to.have.lengthOf(all);
      expect(exact.next, 'after the last').to.equal(undefined);
    }),
  'history-store/list-filter: filters by account, by role and from an instant give exactly the events that match, alone and together':
    async ({ port }) => {
      const [one, another] = [accountId('one'), accountId('another')];
      const [pin, otherPin] = [aRoleId(1), aRoleId(2)];
      const events = [
        anEvent({ at: at(6), account: one, pin }),
        anEvent({ at: at(5), account: one, pin: otherPin }),
        anEvent({ at: at(4), account: another, pin: aRoleId(3) }),
        anEvent({ at: at(3), account: one }),
        // Recorded late, like an expiration.
        anEvent({ at: at(2), account: one, pin, recordedAt: at(9) }),
        anEvent({ at: at(1), account: null }),
      ];
      await port.sessions.begin(aSession(1), events);
      const pick = (...numbers: readonly number[]) => numbers.map((n) => events[n]);
      expect(await recordedEvents(port, { account: one })).to.deep.equal(pick(0, 1, 3, 4));
      expect(await recordedEvents(port, { account: accountId('ONE') })).to.deep.equal([]);
      expect(await recordedEvents(port, { pin })).to.deep.equal(pick(0, 4));
      expect(await recordedEvents(port, { since: at(3) })).to.deep.equal(pick(0, 1, 2, 3));
      expect(await recordedEvents(port, { account: one, pin, since: at(3) })).to.deep.equal(pick(0));
      expect(await recordedEvents(port, { account: another, pin })).to.deep.equal([]);
      expect(await walkEvents(port, { account: one, since: at(3), limit: 1 })).to.deep.equal(pick(0, 1, 3));
      expect(await walkEvents(port, { pin, account: one, limit: 1 })).to.deep.equal(pick(0, 4));
    },
  'history-store/drop: exactly events recorded earlier are removed, of any instant, at most the limit, and the next event of a role is still after its last':
    withPeer(async (port, other) => {
      const events = [1, 2, 2, 3, 4].map((n) => anEvent({ at: at(9 - n), recordedAt: at(n) }));
      await port.sessions.begin(aSession(1), events);
      expect(await other.history.drop(at(1), 10)).to.equal(0);
      expect(await other.history.drop(at(3), 2)).to.equal(2);
      expect(await recordedEvents(port)).to.have.lengthOf(3);
      expect(await other.history.drop(at(3), 2)).to.equal(1);
      expect(await recordedEvents(port)).to.deep.equal([events[3], events[4]]);
      const { role, event } = await publish(port, 1);
      expect(await other.history.drop(at(10), 10)).to.equal(3);
      const { value, version } = await loaded(port, role.id);
      await port.roles.save(value, version, [eventFor(role)]);
      expect((await recordedEvents(port)).map((next) => next.at)).to.deep.equal([event.at + 1]);
    }),
  'history-store/thin: exactly events beyond the newest of their role that were recorded before the instant are removed, at most the limit, only for roles with an event recorded within the period; events of no role stay':
    withPeer(async (port, other) => {
      const [busy, quiet, early] = [aRoleId(1), aRoleId(2), aRoleId(3)];
      // An event that was recorded late has an earlier instant than those around it.
      const late = anEvent({ pin: busy, at: at(0), recordedAt: at(20) });
      const many = [1, 2, 3, 4, 5, 6].map((n) => anEvent({ pin: busy, at: at(n), recordedAt: at(n + 5) }));
      const few = [1, 2].map((n) => anEvent({ pin: quiet, at: at(n + 10), recordedAt: at(10) }));
      const before = [1, 2, 3].map((n) => anEvent({ pin: early, at: at(n + 20), recordedAt: at(9) }));
      const none = [1, 2, 3].map((n) => anEvent({ pin: null, at: at(n + 30), recordedAt: at(5) }));
      await port.sessions.begin(aSession(1), [late, ...many, ...few, ...before, ...none]);
      const trimming = { since: at(10), until: at(12), keep: 2, limit: 2 };
      expect(
        await other.history.trimEvents({ ...trimming, since: at(12) }),
        'no event in the period',
      ).to.equal(0);
      expect(await other.history.trimEvents({ ...trimming, keep: 7 }), 'no more than are kept').to.equal(0);
      const oldest = { ...trimming, since: at(6), keep: 5 };
      expect(await other.history.trimEvents({ ...oldest, since: at(0), until: at(6) }), 'too early').to.equal(
        0,
      );
      expect(await other.history.trimEvents({ ...oldest, until: at(7) })).to.equal(1);
      expect(await other.history.trimEvents(trimming), 'at most the limit').to.equal(2);
      expect(await other.history.trimEvents(trimming), 'the rest').to.equal(1);
      expect(await other.history.trimEvents(trimming)).to.equal(0);
      const remaining = [...few, ...before, ...none, ...many.slice(4), late].map(({ id }) => id);
      expect((await recordedEvents(port)).map(({ id }) => id)).to.have.members(remaining);
    }),
};
