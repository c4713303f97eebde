import { after, hours, minutes, type Takedown } from '@pinfold/core';
import { anEvent, aRoleId, aSha256, aTakedown, START } from '@pinfold/test-contracts/fixtures';
import {
  eventFor,
  eventIds,
  loaded,
  publish,
  recordedEvents,
  recordedIds,
  type StoreClauses,
  together,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { TakedownStores } from '../stores.ts';
import { CONFLICT, stoppedNow, TAKEN_DOWN, takeDown, takedownEvent } from './taken.ts';

const LATER = after(START, hours(1));

export const takingClauses: StoreClauses<TakedownStores> = {
  'takedown-store/whole: every peer sees stop, ban and events together, or none of them': async ({
    port,
    peer,
  }) => {
    const { role, event: published } = await publish(port, 1);
    const takedown = aTakedown(1, { at: LATER });
    const stopped = await stoppedNow(port, role, LATER);
    const event = await takeDown(port, takedown);
    const other = await peer();
    expect((await loaded(other, role.id)).value).to.deep.equal(stopped.value);
    expect(await other.takedowns.of([role.id])).to.deep.equal([takedown]);
    expect(await recordedEvents(other)).to.deep.equal([event, published]);
    const unknown = aTakedown(2);
    const ofUnknown = [takedownEvent(unknown), takedownEvent(unknown)];
    expect(await port.takedowns.takeDown(unknown, undefined, ofUnknown)).to.deep.equal(TAKEN_DOWN);
    expect(await other.takedowns.of([unknown.id]), 'without a role').to.deep.equal([unknown]);
    expect(await recordedIds(other)).to.deep.equal(eventIds(published, event, ...ofUnknown));
  },
  'takedown-store/conflict: a takedown of a role that was changed since it was loaded is a conflict; so is a takedown without a role if its archive is already forbidden under that id; both change nothing':
    withPeer(async (port, { takedowns, roles }) => {
      const { role } = await publish(port, 1);
      const stopped = await stoppedNow(port, role, LATER);
      const { value, version } = await loaded(port, role.id);
      await roles.save({ ...value, pinned: true, expiresAt: null }, version, [eventFor(role)]);
      const [now, events] = [await loaded(port, role.id), await recordedIds(port)];
      const takedown = aTakedown(1);
      expect(await takedowns.takeDown(takedown, stopped, [anEvent()])).to.deep.equal(CONFLICT);
      expect(await loaded(port, role.id)).to.deep.equal(now);
      expect(await takedowns.isForbidden(role.sha256), 'not in part').to.equal(false);
      expect(await recordedIds(port)).to.deep.equal(events);
      const unknown = aTakedown(2);
      const ofUnknown = takedownEvent(unknown);
      await port.takedowns.takeDown(unknown, undefined, [ofUnknown]);
      const again = await takedowns.takeDown({ ...unknown, reason: 'x' }, undefined, [anEvent()]);
      expect(again).to.deep.equal(CONFLICT);
      expect(await recordedIds(port)).to.have.members([...events, ofUnknown.id]);
    }),
  'takedown-store/race: of many concurrent calls exactly one is stored, with only its event': async (
    subject,
  ) => {
    const { port } = subject;
    const { role, event: published } = await publish(port, 1);
    const stopped = await stoppedNow(port, role, LATER);
    const race = async (takedown: Takedown, of: typeof stopped | undefined): Promise<void> => {
      const before = await recordedIds(port);
      const events = Array.from({ length: 9 }, () => takedownEvent(takedown));
      const outcomes = await together(subject, 9, ({ takedowns }, n) =>
        takedowns.takeDown(takedown, of, events.slice(n, n + 1)),
      );
      const winners = events.filter((_, n) => outcomes[n]?.kind === 'taken_down');
      expect(winners).to.have.lengthOf(1);
      expect(await recordedIds(port)).to.have.members([...before, ...eventIds(...winners)]);
      expect(await port.takedowns.of([takedown.id])).to.have.lengthOf(1);
    };
    await race(aTakedown(1, { at: LATER }), stopped);
    await race(aTakedown(2), undefined);
    expect(await recordedIds(port)).to.include(published.id);
  },
  'takedown-store/again: a second takedown of a forbidden archive changes nothing; a takedown of a lifted one forbids it again':
    withPeer(async (port, { takedowns }) => {
      const { role } = await publish(port, 1);
      const first = aTakedown(1);
      await takeDown(port, first);
      const second = aTakedown(1, { reason: 'Another one.', at: LATER });
      await takeDown(port, second);
      expect(await takedowns.of([role.id])).to.deep.equal([first]);
      await takedowns.lift(first, LATER, [anEvent()]);
      const third = aTakedown(1, { reason: 'After all.', at: after(LATER, minutes(1)) });
      await takeDown(port, third);
      expect(await takedowns.of([role.id])).to.deep.equal([third]);
      expect(await takedowns.isForbidden(role.sha256)).to.equal(true);
    }),
  'takedown-store/lift: a lifted takedown forbids nothing and is not listed, but is still found by its role, which does not change':
    withPeer(async (port, other) => {
      const { role } = await publish(port, 1);
      const takedown = aTakedown(1, { at: LATER });
      const event = await takeDown(port, takedown);
      const stopped = await loaded(port, role.id);
      const lifted = takedownEvent(takedown, { type: 'takedown.lifted', at: LATER });
      expect(await other.takedowns.lift(takedown, LATER, [lifted])).to.deep.equal({ kind: 'lifted' });
      expect(await port.takedowns.isForbidden(role.sha256)).to.equal(false);
      const query = { sha256: undefined, after: undefined, limit: 10 };
      expect(await port.takedowns.list(query)).to.deep.equal([]);
      expect(await port.takedowns.of([role.id])).to.deep.equal([{ ...takedown, liftedAt: LATER }]);
      expect((await loaded(port, role.id)).value).to.deep.equal(stopped.value);
      const [last, before] = await recordedEvents(port, { pin: role.id });
      expect(before).to.deep.equal(event);
      expect(last, 'after the last event').to.deep.equal({ ...lifted, at: LATER + 1 });
      const bare = aTakedown(2, { at: LATER });
      const [taken, bareLifted] = [takedownEvent(bare), takedownEvent(bare, { type: 'takedown.lifted' })];
      await port.takedowns.takeDown(bare, undefined, [taken]);
      await port.takedowns.lift(bare, LATER, [bareLifted]);
      const ids = (await recordedEvents(other, { pin: bare.id })).map(({ id }) => id);
      expect(ids, 'of an archive without its role').to.have.members([taken.id, bareLifted.id]);
    }),
  'takedown-store/lift-of-all: an archive is forbidden until the last of its takedowns is lifted': withPeer(
    async (port, { takedowns }) => {
      const sha256 = aSha256(1);
      const both = [aTakedown(1, { sha256 }), aTakedown(2, { sha256 })];
      for (const each of both) await port.takedowns.takeDown(each, undefined, [takedownEvent(each)]);
      for (const [n, each] of both.entries()) {
        expect(await takedowns.isForbidden(sha256), `${n} lifted`).to.equal(true);
        await port.takedowns.lift(each, LATER, [anEvent({ pin: each.id })]);
      }
      expect(await takedowns.isForbidden(sha256)).to.equal(false);
    },
  ),
  'takedown-store/lift-once: of many concurrent calls one lifts, and only its events are stored': async (
    subject,
  ) => {
    const { port } = subject;
    const { role } = await publish(port, 1);
    const takedown = aTakedown(1);
    await takeDown(port, takedown);
    const before = await recordedIds(port);
    const events = Array.from({ length: 9 }, () => takedownEvent(takedown, { type: 'takedown.lifted' }));
    const outcomes = await together(subject, 9, ({ takedowns }, n) =>
      takedowns.lift(takedown, LATER, events.slice(n, n + 1)),
    );
    const winners = events.filter((_, n) => outcomes[n]?.kind === 'lifted');
    expect(winners).to.have.lengthOf(1);
    expect(await recordedIds(port)).to.have.members([...before, ...eventIds(...winners)]);
    for (const { id, sha256 } of [
      aTakedown(9),
      { id: role.id, sha256: aSha256(9) },
      { ...takedown, id: aRoleId(9) },
    ]) {
      const outcome = await port.takedowns.lift({ id, sha256 }, LATER, [anEvent()]);
      expect(outcome, 'a takedown that does not exist').to.deep.equal(CONFLICT);
    }
    expect(await recordedIds(port)).to.have.lengthOf(before.length + 1);
  },
};
