import {
  type AccountId,
  accountId,
  after,
  before,
  duration,
  type HistoryEvent,
  hours,
  minutes,
  type Role,
  type Title,
  type UnattributedEvent,
} from '@pinfold/core';
import {
  aKey,
  aLink,
  anAccount,
  anApiKey,
  anApiKeyId,
  anEvent,
  aPublication,
  aRedemption,
  aReservation,
  aRole,
  aSession,
  aToken,
  aTokenHash,
  leaseOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  aClaim,
  aTask,
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
import type { HistoryStores } from '../stores.ts';

const LATER = after(START, hours(200));

const titled = (n: number) => ({ title: `Renamed ${n}` as Title });

/** An event for {@link SessionStore.redeem}. */
function unattributed({ account: _, actor: __, ...event }: HistoryEvent): UnattributedEvent {
  return event;
}

function refusal(account: AccountId, at: HistoryEvent['at']): HistoryEvent & { account: AccountId } {
  return { ...anEvent({ type: 'session.refused', at }), account };
}

export const storingClauses: StoreClauses<HistoryStores> = {
  'history-store/with-publication: every peer sees a committed publication with its events; one that lost its lease, or was committed before, leaves none':
    withPeer(async (port, other, subject) => {
      const event = eventFor(aRole(1));
      const mine = leaseOf(aReservation(1));
      await port.roles.reserve(aReservation(1));
      const lost = { ...mine, token: aToken(9) };
      await port.roles.commit(aPublication(1), lost, [eventFor(aRole(1))]);
      expect(await recordedEvents(other), 'with a lost lease').to.deep.equal([]);
      await together(subject, 6, ({ roles }) => roles.commit(aPublication(1), mine, [event]));
      expect(await recordedEvents(other)).to.deep.equal([event]);
      await port.roles.commit(aPublication(1), mine, [eventFor(aRole(1))]);
      const rival = aPublication(2, { idempotencyKey: aKey(1) });
      await port.roles.commit(rival, mine, [eventFor(rival.role)]);
      expect(await recordedEvents(other), 'again').to.deep.equal([event]);
    }),
  'history-store/with-change: a saved change is stored with its events, and a conflict stores none; of many concurrent calls only the saved one does':
    async (subject) => {
      const { port } = subject;
      const { role, event } = await publish(port, 1);
      const seen = await loaded(port, role.id);
      const events = Array.from({ length: 9 }, (_, n) =>
        eventFor(role, { at: after(START, duration(n + 1)) }),
      );
      const outcomes = await together(subject, events.length, ({ roles }, n) =>
        roles.save({ ...role, ...titled(n) }, seen.version, [events[n] as HistoryEvent]),
      );
      const saved = outcomes.findIndex(({ kind }) => kind === 'saved');
      expect(await recordedEvents(await subject.peer())).to.deep.equal([events[saved], event]);
      const now = await loaded(port, role.id);
      expect(now.value.title).to.equal(titled(saved).title);
      await port.roles.save(now.value, seen.version, [eventFor(role)]);
      expect(await recordedEvents(port), 'after a conflict').to.have.lengthOf(2);
      await port.roles.save(now.value, now.version, []);
      expect(await recordedEvents(port), 'without events').to.have.lengthOf(2);
    },
  'history-store/with-cleanup: settling a claim stores its events, and a lost claim stores none': withPeer(
    async (port, other) => {
      const { role, event } = await publish(port, 1);
      const claim = async (n: number, now = LATER) => await port.roles.claimForCleanup(aClaim(n, now));
      const task = aTask(role, 1);
      await claim(1);
      const failed = eventFor(role, { at: LATER });
      const retryAt = after(LATER, hours(1));
      await other.roles.settleCleanup(task, { kind: 'failed', retryAt }, [failed]);
      expect(await recordedEvents(port)).to.deep.equal([failed, event]);
      await other.roles.settleCleanup(task, { kind: 'removed' }, [eventFor(role)]);
      expect(await recordedEvents(port), 'of a lost claim').to.have.lengthOf(2);
      await claim(2, retryAt);
      const purged = eventFor(role, { type: 'pin.purged', at: retryAt });
      const again = { ...task, token: aToken(2) };
      for (let n = 0; n < 2; n += 1) await other.roles.settleCleanup(again, { kind: 'removed' }, [purged]);
      expect(await recordedEvents(port)).to.deep.equal([purged, failed, event]);
    },
  ),
  'history-store/with-keys: creating or revoking a key stores its events; a key that exists, was revoked before or is unknown stores none':
    async (subject) => {
      const { port } = subject;
      const [first, created, revoked] = [anEvent(), anEvent(), anEvent()];
      await port.apiKeys.createFirst(anApiKey(1), [first]);
      await port.apiKeys.createFirst(anApiKey(2), [anEvent()]);
      await port.apiKeys.create(anApiKey(1), [anEvent()]);
      expect(await recordedIds(port)).to.deep.equal(eventIds(first));
      await port.apiKeys.create(anApiKey(2), [created]);
      await port.apiKeys.revoke(anApiKeyId(9), START, [anEvent()]);
      await port.apiKeys.revoke(anApiKeyId(1), START, [revoked]);
      await together(subject, 6, ({ apiKeys }) => apiKeys.revoke(anApiKeyId(1), START, [anEvent()]));
      expect(await recordedIds(await subject.peer())).to.deep.equal(eventIds(first, created, revoked));
    },
  'history-store/with-accounts: a changed account is stored with its events, and a conflict stores none; of many concurrent calls only the saved one does':
    async (subject) => {
      const { port } = subject;
      const events = Array.from({ length: 7 }, () => anEvent());
      const outcomes = await together(subject, events.length, ({ accounts }, n) =>
        accounts.save(anAccount(1), undefined, [events[n] as HistoryEvent]),
      );
      const made = events.filter((_, n) => outcomes[n]?.kind === 'saved');
      expect(await recordedIds(await subject.peer()), 'made').to.deep.equal(eventIds(...made));
      const found = await port.accounts.load(anAccount(1).name);
      const changed = anEvent();
      await port.accounts.save(anAccount(1), found?.version, [changed]);
      await port.accounts.save(anAccount(1), found?.version, [anEvent()]);
      expect(await recordedIds(port), 'changed').to.deep.equal(eventIds(...made, changed));
    },
  'history-store/with-sessions: a link, a session and its end leave their events, those of a redeemed link for its account and under the name of its creator; redeeming or ending again leaves none':
    async (subject) => {
      const { port } = subject;
      const link = aLink(1, { account: accountId('linked'), actor: { kind: 'operator', id: 'ada' } });
      const [offered, begun, ended, redeemed, also] = [anEvent(), anEvent(), anEvent(), anEvent(), anEvent()];
      await port.sessions.offer(link, [offered]);
      await port.sessions.begin(aSession(1), [begun]);
      await port.sessions.end(aTokenHash(7), [anEvent()]);
      await together(subject, 6, ({ sessions }, n) =>
        sessions.redeem(aRedemption(link, aSession(10 + n)), [unattributed({ ...redeemed })]),
      );
      for (let n = 0; n < 2; n += 1)
        await port.sessions.end(aTokenHash(1), n === 0 ? [ended, also] : [anEvent()]);
      const other = await subject.peer();
      expect(await recordedIds(other)).to.deep.equal(eventIds(offered, begun, ended, also, redeemed));
      const { account, actor } = link;
      expect(await recordedEvents(other, { account })).to.deep.equal([{ ...redeemed, account, actor }]);
    },
  'history-store/refused-sign-ins: of the refused sign-ins of an account, even concurrent ones, one event is stored until the instant has passed; other accounts have their own':
    async (subject) => {
      const { port } = subject;
      const [one, another] = [accountId('one'), accountId('another')];
      const early = before(START, minutes(1));
      for (const [n, account] of [one, another].entries())
        await port.sessions.begin(aSession(n, { account }), []);
      await together(subject, 6, ({ sessions }) => sessions.refuse(refusal(one, START), early));
      expect(await recordedEvents(port)).to.have.lengthOf(1);
      const next = after(START, minutes(1));
      await port.sessions.refuse(refusal(one, next), START);
      expect(await recordedEvents(port), 'at the instant').to.have.lengthOf(2);
      await port.sessions.refuse(refusal(another, next), START);
      await port.sessions.refuse(refusal(one, next), after(START, duration(59_999)));
      const accounts = (await recordedEvents(port)).map(({ account }) => account);
      expect(accounts.toSorted()).to.deep.equal([another, one, one]);
    },
  'history-store/in-turn: each event of a role is at least a millisecond after the one before, even of concurrent changes':
    async (subject) => {
      const { port } = subject;
      const { role } = await publish(port, 1);
      await together(subject, 6, (stores, n) => rename(stores, role, n));
      await expectInTurn(port, 7);
      const { value, version } = await loaded(port, role.id);
      await port.roles.save(value, version, [eventFor(role), eventFor(role)]);
      await expectInTurn(port, 9);
      const now = after(START, hours(200));
      const [task] = await port.roles.claimForCleanup(aClaim(5, now));
      if (task === undefined) throw new Error('an expired role was not claimed');
      const other = await subject.peer();
      await Promise.all([
        port.roles.settleCleanup(task, { kind: 'removed' }, [eventFor(role)]),
        rename(other, role, 7),
      ]);
      await expectInTurn(port, 11);
    },
};

/** Renames a role. Tries again after a conflict, as use cases do: a settlement may raise the version or not. */
async function rename(stores: HistoryStores, role: Role, n: number): Promise<void> {
  for (;;) {
    const { value, version } = await loaded(stores, role.id);
    const saved = await stores.roles.save({ ...value, ...titled(n) }, version, [eventFor(role)]);
    if (saved.kind === 'saved') return;
  }
}

async function expectInTurn(port: HistoryStores, count: number): Promise<void> {
  const instants = (await recordedEvents(port)).map(({ at }) => at);
  const expected = Array.from({ length: count }, (_, n) => START + count - 1 - n);
  expect(instants).to.deep.equal(expected);
}
