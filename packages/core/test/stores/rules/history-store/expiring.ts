import {
  after,
  days,
  duration,
  type HistoryEvent,
  type Instant,
  type PublicationEvent,
  type Role,
} from '@pinfold/core';
import { aRoleId, START } from '@pinfold/test-contracts/fixtures';
import {
  eventFor,
  inEachEra,
  loaded,
  publish,
  recordedEvents,
  type StoreClauses,
  together,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { HistoryStores } from '../stores.ts';

const END = after(START, days(7));

function expiry(role: Role, more: Partial<PublicationEvent> = {}): HistoryEvent {
  return eventFor(role, { type: 'pin.expired', at: role.expiresAt ?? START, ...more });
}

export const expiringClauses: StoreClauses<HistoryStores> = {
  'history-store/expired: exactly the roles that expired by then and were not stopped before are returned, until their event is stored':
    inEachEra(async (port, other, publishedAt) => {
      const end = after(publishedAt, days(7));
      const justAfter = after(end, duration(1));
      const justBefore = (end - 1) as Instant;
      const make = async (n: number, more: Partial<Role>) =>
        (await publish(port, n, { publishedAt, ...more })).role;
      const expired = await make(1, { expiresAt: end });
      const stoppedLater = await make(2, { expiresAt: justBefore, deletedAt: end });
      await make(3, { expiresAt: end, deletedAt: justBefore });
      await make(4, { expiresAt: justAfter });
      await make(5, { expiresAt: null, pinned: true });
      const stoppedAtEnd = await make(6, {
        expiresAt: (end - 2) as Instant,
        deletedAt: (end - 2) as Instant,
      });
      const row = ({ id: role, account, expiresAt }: Role) => ({ role, account, expiresAt });
      const all = [stoppedAtEnd, stoppedLater, expired].map(row);
      expect(await other.history.expired(end, 10)).to.have.deep.members(all);
      const some = await other.history.expired(end, 2);
      expect(some, 'at most the limit').to.have.lengthOf(2);
      expect(all, 'any of them').to.include.deep.members([...some]);
      expect(new Set(some.map(({ role }) => role)).size, 'each once').to.equal(2);
      await port.history.recordExpired([expiry(stoppedLater), expiry(stoppedAtEnd)]);
      expect(await other.history.expired(end, 10)).to.deep.equal([row(expired)]);
    }),
  'history-store/tell-expired-once: an expiration has one event, at its instant, even after many concurrent or later calls; a role that does not expire then has none':
    async (subject) => {
      const { port } = subject;
      const { role, event } = await publish(port, 1);
      const { role: renewed } = await publish(port, 2, { expiresAt: after(END, days(1)) });
      await together(subject, 6, ({ history }) =>
        history.recordExpired([
          expiry(renewed, { at: END }),
          expiry(role, { pin: aRoleId(9) }),
          { ...expiry(role), pin: null },
          expiry(role),
        ]),
      );
      const [first, ...rest] = await recordedEvents(await subject.peer(), { pin: role.id });
      expect(rest).to.deep.equal([event]);
      expect(first).to.deep.include({ type: 'pin.expired', at: END, pin: role.id });
      expect(await recordedEvents(port)).to.have.lengthOf(3);
    },
  'history-store/tell-expired-renewed: a role that was renewed after a clock ahead recorded its expiration expires again':
    withPeer(async (port, other) => {
      const { role } = await publish(port, 1);
      await port.history.recordExpired([expiry(role)]);
      const { value, version } = await loaded(port, role.id);
      const renewed = { ...value, expiresAt: after(END, days(7)) };
      await port.roles.save(renewed, version, [eventFor(role, { type: 'pin.renewed' })]);
      const expired = { role: role.id, account: role.account, expiresAt: renewed.expiresAt };
      expect(await other.history.expired(renewed.expiresAt, 10)).to.deep.equal([expired]);
      await other.history.recordExpired([expiry(renewed)]);
      const [last] = await recordedEvents(port);
      expect(last).to.deep.include({ type: 'pin.expired', at: renewed.expiresAt });
    }),
  "history-store/tell-expired-conflicts: the event raises the role's version, so that a change decided before it conflicts":
    withPeer(async (port, other) => {
      const { role } = await publish(port, 1);
      const before = await loaded(port, role.id);
      await other.history.recordExpired([expiry(role)]);
      const renewed = { ...role, expiresAt: after(END, days(7)) };
      const saved = await port.roles.save(renewed, before.version, [eventFor(role)]);
      expect(saved).to.deep.equal({ kind: 'conflict' });
      const { value, version } = await loaded(port, role.id);
      expect(value).to.deep.equal(role);
      const stopped = eventFor(role, { type: 'pin.stopped', at: END });
      await port.roles.save({ ...value, deletedAt: END }, version, [stopped]);
      const [last] = await recordedEvents(port);
      expect(last, 'after the expiration').to.deep.equal({ ...stopped, at: after(END, duration(1)) });
      const { role: late } = await publish(port, 2);
      const stoppedLate = { ...late, deletedAt: after(END, days(1)) };
      const at = stoppedLate.deletedAt;
      await port.roles.save(stoppedLate, (await loaded(port, late.id)).version, [eventFor(late, { at })]);
      await other.history.recordExpired([expiry(late)]);
      const now = await loaded(port, late.id);
      const purged = eventFor(late, { type: 'pin.purged', at });
      await port.roles.save(now.value, now.version, [purged]);
      const [newest] = await recordedEvents(port);
      expect(newest, 'after the last event').to.deep.equal({ ...purged, at: after(at, duration(1)) });
    }),
};
