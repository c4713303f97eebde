import {
  accountId,
  after,
  before,
  type Credential,
  duration,
  type NameStore,
  type Refusal,
  type RoleId,
} from '@pinfold/core';
import {
  ACCOUNT,
  anApiKey,
  anApiKeyId,
  anEvent,
  aPublication,
  aRoleId,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  BLOCK,
  changeAccount,
  overQuota,
  recordedEvents,
  type StoreClauses,
  together,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { NameStores } from '../stores.ts';
import {
  aChange,
  aName,
  aNameToken,
  deletedEvent,
  LATER,
  publish,
  publishNamed,
  set,
  setEvent,
  shownBy,
  stop,
} from './values.ts';

const OTHER = accountId('globex');
const NOT_FOUND: Refusal<'not_found'> = { kind: 'refused', code: 'not_found' };
const ROUNDS = [11, 12, 13, 14, 15, 16];

const remove = ({ names }: NameStores, n: number): ReturnType<NameStore['delete']> =>
  names.delete({ account: ACCOUNT, name: aName(n) }, [deletedEvent(aName(n))]);

/** Changes of an existing and of another name, each with its outcome. */
type Changes = (stores: NameStores, credential?: Credential) => readonly Promise<{ readonly kind: string }>[];

const settings: Changes = ({ names }, credential = {}) =>
  [aChange(1, { role: aRoleId(2), credential }), aChange(3, { role: aRoleId(1), credential })].map((change) =>
    names.set(change, [setEvent(change)]),
  );

const deletions: Changes = ({ names }, credential = {}) =>
  [aName(1), aName(9)].map((name) =>
    names.delete({ account: ACCOUNT, name, credential }, [deletedEvent(name)]),
  );

/** Fails unless the changes are refused for each reason without an effect, and made without one. */
async function expectEveryRefusal(
  port: NameStores,
  peer: NameStores,
  changes: Changes,
  made: string,
): Promise<void> {
  const expectRefused = async (refusal: object, credential?: Credential): Promise<void> => {
    const stored = async () => [await peer.names.list(ACCOUNT, undefined, 10), await recordedEvents(peer)];
    const before = await stored();
    for (const change of changes(peer, credential)) expect(await change).to.deep.include(refusal);
    expect(await stored()).to.deep.equal(before);
  };
  await publish(port, 1, 2);
  await set(port, aChange(1));
  await port.apiKeys.create(anApiKey(1), [anEvent()]);
  await port.apiKeys.create(anApiKey(2), [anEvent()]);
  await port.apiKeys.revoke(anApiKeyId(1), START, [anEvent()]);
  await expectRefused({ kind: 'refused', code: 'unauthorized' }, { key: anApiKeyId(1) });
  await changeAccount(port.accounts, ACCOUNT, { blocked: BLOCK });
  await expectRefused({ kind: 'refused', code: 'account_blocked' });
  await changeAccount(port.accounts, ACCOUNT, { blocked: null });
  await port.mode.change({ kind: 'read_only', message: 'moving' }, [anEvent()]);
  await expectRefused({ kind: 'refused', code: 'read_only', message: 'moving' });
  await port.mode.change({ kind: 'normal', message: null }, [anEvent()]);
  const [outcome] = await Promise.all(changes(peer, { key: anApiKeyId(2) }));
  expect(outcome?.kind).to.equal(made);
}

export const changingClauses: StoreClauses<NameStores> = {
  'name-store/set: a new name gets the given token, and an existing name keeps its own; every peer sees it show the role from then on, and the event is stored, later than the last event of that role':
    withPeer(async (port, other) => {
      await publish(port, 1, 2);
      const change = aChange(1);
      const shown = shownBy(change);
      const made = shown.name;
      const event = setEvent(change);
      expect(await port.names.set(change, [event])).to.deep.equal({ kind: 'created', ...shown });
      expect(await other.names.find(ACCOUNT, aName(1))).to.deep.equal(shown);
      expect((await other.names.resolve(made.token))?.role.value.id).to.equal(aRoleId(1));
      expect((await recordedEvents(other, { pin: aRoleId(1) }))[0]).to.deep.equal(event);
      const move = aChange(1, { token: aNameToken(9), role: aRoleId(2), now: START });
      const previous = aRoleId(1);
      const moved = shownBy(change, { role: aRoleId(2), previous, updatedAt: START });
      const early = setEvent(move);
      expect(await other.names.set(move, [early])).to.deep.equal({ kind: 'moved', ...moved });
      expect(await port.names.find(ACCOUNT, aName(1))).to.deep.equal(moved);
      expect(await port.names.resolve(aNameToken(9)), 'the token that was not needed').to.equal(undefined);
      expect((await port.names.resolve(made.token))?.role.value.id).to.equal(aRoleId(2));
      const [last] = await recordedEvents(port, { pin: aRoleId(2) });
      expect(last, 'after its publication').to.deep.equal({ ...early, at: after(START, duration(1)) });
      const [again, events] = [aChange(1, { now: START }), [anEvent({ pin: aRoleId(1), at: START })]];
      await port.names.set(again, events);
      const [newest] = await recordedEvents(port, { pin: aRoleId(1) });
      expect(newest?.at, 'after the event that set it before').to.equal(after(LATER, duration(1)));
      expect((await port.roles.load(aRoleId(1)))?.version).to.equal(
        (await port.roles.load(aRoleId(2)))?.version,
      );
    }),
  'name-store/previous: the previous role of a name is null before its first move, and then the role that it showed before; pointing it at the same role again changes nothing':
    withPeer(async (port, other) => {
      await publish(port, 1, 2);
      const previous = async () => {
        const found = (await other.names.find(ACCOUNT, aName(1)))?.name;
        expect((await other.names.list(ACCOUNT, undefined, 10))[0]?.name, 'listed').to.deep.equal(found);
        const resolved = found && (await other.names.resolve(found.token));
        expect(resolved?.name, 'resolved').to.deep.equal(found);
        return found?.previous;
      };
      const pointAt = async (stores: NameStores, role: RoleId) => {
        const outcome = await set(stores, aChange(1, { role }));
        return outcome.kind === 'refused' ? outcome.code : outcome.name.previous;
      };
      expect([await pointAt(port, aRoleId(1)), await previous()], 'at first').to.deep.equal([null, null]);
      for (const what of ['a move', 'the same again']) {
        expect(await pointAt(what === 'a move' ? port : other, aRoleId(2)), what).to.equal(aRoleId(1));
        expect(await previous(), what).to.equal(aRoleId(1));
      }
      await publishNamed(port, 3, { name: aName(1) });
      expect(await previous(), 'a publication').to.equal(aRoleId(2));
      expect(await pointAt(port, aRoleId(1)), 'a move after it').to.equal(aRoleId(3));
      await stop(port, aRoleId(3));
      expect(await previous(), 'a stop').to.equal(aRoleId(3));
      await remove(port, 1);
      expect(await pointAt(port, aRoleId(1)), 'a new name of the same spelling').to.equal(null);
      expect(await previous()).to.equal(null);
    }),
  'name-store/set-unchanged: a name that shows the role already does not change, and no event is stored':
    withPeer(async (port, other) => {
      await publish(port, 1, 2);
      const shown = shownBy(aChange(1));
      await set(port, aChange(1));
      const events = await recordedEvents(port);
      const again = aChange(1, { now: after(LATER, duration(1)), token: aNameToken(2), limit: 0 });
      expect(await set(other, again)).to.deep.equal({ kind: 'unchanged', ...shown });
      expect(await port.names.find(ACCOUNT, aName(1))).to.deep.equal(shown);
      expect(await recordedEvents(port)).to.deep.equal(events);
    }),
  'name-store/set-role: a role that is unknown or of another account is not found, and one that ended by the instant is refused with its state; nothing changes':
    async ({ port }) => {
      await publish(port, 1, 2);
      await publishTo(port.roles, aPublication(3, { account: OTHER }));
      await publishTo(port.roles, aPublication(4, { expiresAt: LATER }));
      await set(port, aChange(1));
      await stop(port, aRoleId(2));
      const events = await recordedEvents(port);
      const ended = { kind: 'refused', code: 'invalid_state' };
      for (const n of [1, 5]) {
        const at = { name: aName(n), token: aNameToken(n) };
        expect(await set(port, aChange(9, at)), 'an unknown one').to.deep.equal(NOT_FOUND);
        expect(await set(port, aChange(3, at)), "another account's").to.deep.equal(NOT_FOUND);
        expect(await set(port, aChange(2, at))).to.deep.equal({ ...ended, state: 'deleted' });
        expect(await set(port, aChange(4, at))).to.deep.equal({ ...ended, state: 'expired' });
      }
      expect(await port.names.list(ACCOUNT, undefined, 10)).to.deep.equal([shownBy(aChange(1))]);
      expect(await recordedEvents(port)).to.deep.equal(events);
      const early = aChange(4, { now: before(LATER, duration(1)) });
      expect((await set(port, early)).kind, 'a millisecond before its end').to.equal('created');
    },
  'name-store/set-stopped: once a stop of a role is acknowledged, every peer refuses to point a name at it':
    withPeer(async (port, other) => {
      await publish(port, 1);
      await set(port, aChange(1));
      const round = async (n: number): Promise<void> => {
        await publish(port, n);
        const move = aChange(1, { role: aRoleId(n) });
        const moving = other.names.set(move, [setEvent(move)]);
        await stop(port, aRoleId(n));
        const isShown = async () => (await port.names.find(ACCOUNT, aName(1)))?.name.role === aRoleId(n);
        const wasShown = await isShown();
        const outcome = await moving;
        expect(await isShown(), `round ${n}`).to.equal(wasShown);
        expect(outcome.kind !== 'refused', `what was answered in round ${n}`).to.equal(wasShown);
        expect((await set(other, aChange(2, { role: aRoleId(n) }))).kind).to.equal('refused');
      };
      for (const n of ROUNDS) await round(n);
    }),
  'name-store/set-quota: concurrent calls create as many new names as the limit allows; names of other accounts do not count, and an existing name always moves':
    async (subject) => {
      const { port } = subject;
      await publish(port, 1, 2);
      await publishTo(port.roles, aPublication(3, { account: OTHER }));
      await set(port, aChange(3, { account: OTHER }));
      await set(port, aChange(1));
      const outcomes = await together(subject, 12, (stores, n) =>
        set(stores, aChange(10 + n, { role: aRoleId(1), limit: 5 })),
      );
      const refused = overQuota('names', 5, 6);
      for (const outcome of outcomes) if (outcome.kind === 'refused') expect(outcome).to.deep.equal(refused);
      expect(outcomes.filter(({ kind }) => kind === 'created')).to.have.lengthOf(4);
      expect(await port.names.list(ACCOUNT, undefined, 20)).to.have.lengthOf(5);
      expect((await recordedEvents(port)).filter(({ type }) => type === 'name.set')).to.have.lengthOf(6);
      expect((await set(port, aChange(1, { role: aRoleId(2), limit: 5 }))).kind).to.equal('moved');
      expect((await set(port, aChange(1, { role: aRoleId(1), limit: 0 }))).kind).to.equal('moved');
    },
  'name-store/set-refused: a change for a blocked account, in read-only mode or with an ended credential is refused and changes nothing':
    async ({ port, peer }) => expectEveryRefusal(port, await peer(), settings, 'moved'),
  'name-store/delete: no peer finds, lists or resolves a deleted name, its place in the quota is free, and the event is stored with the role that it showed, later than the last of that role; an unknown name leaves no event, and of many concurrent calls one deletes':
    withPeer(async (port, other, subject) => {
      await publish(port, 1, 2);
      for (const n of [1, 2]) await set(port, aChange(n));
      expect((await port.names.resolve(aNameToken(1)))?.name.name, 'resolved before').to.equal(aName(1));
      const events = await recordedEvents(port);
      const deletion = deletedEvent(aName(1));
      expect(await other.names.delete({ account: ACCOUNT, name: aName(1) }, [deletion])).to.deep.equal({
        kind: 'deleted',
      });
      const [last] = await recordedEvents(port, { pin: aRoleId(1) });
      expect(last).to.deep.equal({ ...deletion, pin: aRoleId(1), at: after(LATER, duration(1)) });
      for (const { names } of [port, other]) {
        expect(await names.find(ACCOUNT, aName(1))).to.equal(undefined);
        expect(await names.resolve(aNameToken(1))).to.equal(undefined);
        expect(await names.list(ACCOUNT, undefined, 10)).to.deep.equal([shownBy(aChange(2))]);
      }
      for (const place of [
        { account: ACCOUNT, name: aName(1) },
        { account: OTHER, name: aName(2) },
      ]) {
        expect(await port.names.delete(place, [deletedEvent(place.name)])).to.deep.equal({ kind: 'unknown' });
      }
      expect(await recordedEvents(port)).to.have.lengthOf(events.length + 1);
      const newChange = aChange(1, { token: aNameToken(9), limit: 2 });
      expect(await set(port, newChange)).to.deep.equal({ kind: 'created', ...shownBy(newChange) });
      const outcomes = await together(subject, 9, (stores) => remove(stores, 1));
      expect(outcomes.filter(({ kind }) => kind === 'deleted')).to.have.lengthOf(1);
      expect(await remove(port, 2)).to.deep.equal({ kind: 'deleted' });
      expect(await port.names.list(ACCOUNT, undefined, 10)).to.deep.equal([]);
      expect((await recordedEvents(port)).filter(({ type }) => type === 'name.deleted')).to.have.lengthOf(3);
    }),
  'name-store/delete-refused: a deletion for a blocked account, in read-only mode or with an ended credential is refused and changes nothing':
    async ({ port, peer }) => expectEveryRefusal(port, await peer(), deletions, 'deleted'),
};
