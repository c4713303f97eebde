import { accountId, after, before, duration, minutes, type PublicationEvent } from '@pinfold/core';
import { START } from '@pinfold/test-contracts/fixtures';
import {
  eventFor,
  publish,
  recordedEvents,
  type StoreClauses,
  together,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { HistoryStores } from '../stores.ts';

const READ_AT = after(START, minutes(5));
const ADA = { kind: 'operator', id: 'ada' } as const;

export const recordingOnceClauses: StoreClauses<HistoryStores> = {
  'history-store/record-once: of many concurrent calls one stores the event, at least a millisecond after the last of its role; other actors, types and roles, and earlier events, do not prevent it; an unknown role stores none':
    async (subject) => {
      const { port } = subject;
      const other = await subject.peer();
      const { role, event: published } = await publish(port, 1);
      const { role: another } = await publish(port, 2);
      const readEvent = (more: Partial<PublicationEvent> = {}, of = role): PublicationEvent =>
        eventFor(of, { type: 'pin.archive_read', at: READ_AT, actor: ADA, ...more });
      const many = Array.from({ length: 6 }, () => readEvent());
      const stored = await together(subject, many.length, ({ history }, n) =>
        history.recordOnce(many[n] as PublicationEvent, START),
      );
      expect(stored.filter((isStored) => isStored)).to.have.lengthOf(1);
      expect(await recordedEvents(other, { pin: role.id })).to.deep.equal([
        many[stored.indexOf(true)],
        published,
      ]);

      const justAfter = after(READ_AT, duration(1));
      expect(
        await other.history.recordOnce(readEvent({ at: justAfter }), before(READ_AT, duration(1))),
      ).to.equal(false);
      for (const [what, event, unlessSince] of [
        ['another actor', readEvent({ actor: { kind: 'key', id: 'ada' } }), START],
        ['a nameless actor', readEvent({ actor: { kind: 'operator', id: null } }), START],
        ['another type', readEvent({ type: 'pin.renewed' }), START],
        ['another role', readEvent({}, another), START],
        ['an earlier event', readEvent({ at: justAfter }), READ_AT],
      ] as const) {
        expect(await other.history.recordOnce(event, unlessSince), what).to.equal(true);
      }
      const instants = (await recordedEvents(port, { pin: role.id })).map(({ at }) => at - READ_AT);
      expect(instants, 'a millisecond apart').to.deep.equal([4, 3, 2, 1, 0, START - READ_AT]);

      const recorded = await recordedEvents(port);
      const later = { at: after(READ_AT, minutes(9)) };
      const ofOther = readEvent({ ...later, account: accountId('other') });
      expect(await port.history.recordOnce(ofOther, START), 'a role of another account').to.equal(false);
      expect(await recordedEvents(other)).to.deep.equal(recorded);
    },
};
