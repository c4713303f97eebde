import { after, type Mode, minutes, type Title } from '@pinfold/core';
import { dayOf } from '@pinfold/core/internal';
import {
  aLink,
  anAccount,
  anApiKey,
  anEvent,
  aPublication,
  aRedemption,
  aReservation,
  aRoleId,
  aSession,
  aToken,
  leaseOf,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  admit,
  anAccountName,
  aTry,
  BLOCK,
  changeAccount,
  loaded,
  type StoreClauses,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { ModeStores } from '../stores.ts';

const READ_ONLY: Mode = { kind: 'read_only', message: 'The database moves.' };
const REFUSED = { kind: 'refused', code: 'read_only', message: 'The database moves.' };

const makeReadOnly = ({ mode }: ModeStores): Promise<void> => mode.change(READ_ONLY, [anEvent()]);
const resume = ({ mode }: ModeStores): Promise<void> =>
  mode.change({ kind: 'normal', message: null }, [anEvent()]);

export const boundClauses: StoreClauses<ModeStores> = {
  'service-mode/publications: while read-only nothing is reserved, committed or replayed; a refusal stores nothing and leaves its lease valid, which can still be renewed and released':
    withPeer(async (port, other) => {
      const { roles } = other;
      await publishTo(port.roles, aPublication(1));
      for (const n of [2, 3]) await port.roles.reserve(aReservation(n));
      await makeReadOnly(port);
      for (const n of [1, 2, 4]) {
        const again = aReservation(n, { token: aToken(50) });
        expect(await roles.reserve(again), `the key ${n}`).to.deep.equal(REFUSED);
      }
      const lease = leaseOf(aReservation(2));
      expect(await roles.commit(aPublication(2), lease, [anEvent()])).to.deep.equal(REFUSED);
      expect(await roles.load(aPublication(2).role.id)).to.equal(undefined);
      const until = after(START, minutes(9));
      expect(await roles.renew(lease, until)).to.deep.equal({ kind: 'held' });
      await roles.release(leaseOf(aReservation(3)));
      await resume(other);
      expect((await port.roles.reserve(aReservation(3, { token: aToken(50) }))).kind, 'released').to.equal(
        'reserved',
      );
      expect((await port.roles.commit(aPublication(2), lease, [anEvent()])).kind).to.equal('committed');
    }),
  'service-mode/changes: while read-only, no role is saved and no key is created by the authority of an account; the operator can do both':
    withPeer(async (port, other) => {
      await publishTo(port.roles, aPublication(1));
      const before = await loaded(port, aPublication(1).role.id);
      const changed = { ...before.value, title: 'Another' as Title };
      await makeReadOnly(port);
      for (const authority of [[], ['account'] as const]) {
        const saved = await other.roles.save(changed, before.version, [anEvent()], ...authority);
        expect(saved).to.deep.equal(REFUSED);
        expect(await other.apiKeys.create(anApiKey(1), [anEvent()], ...authority)).to.deep.equal(REFUSED);
      }
      expect(await loaded(port, changed.id)).to.deep.equal(before);
      expect(await port.apiKeys.find(anApiKey(1).id)).to.equal(undefined);
      expect((await other.apiKeys.create(anApiKey(1), [anEvent()], 'operator')).kind).to.equal('created');
      const byOperator = await other.roles.save(changed, before.version, [anEvent()], 'operator');
      expect(byOperator.kind).to.equal('saved');
      await resume(port);
      const { value, version } = await loaded(other, changed.id);
      expect(value.title).to.equal('Another');
      expect((await other.roles.save(before.value, version, [anEvent()])).kind).to.equal('saved');
      expect((await other.apiKeys.create(anApiKey(2), [anEvent()])).kind).to.equal('created');
    }),
  'service-mode/viewing: while read-only a role can be saved with the authority of viewing, unless its account is blocked':
    withPeer(async (port, other) => {
      const { role } = aPublication(1);
      await publishTo(port.roles, aPublication(1));
      await makeReadOnly(port);
      const { value, version } = await loaded(other, role.id);
      expect((await other.roles.save(value, version, [anEvent()], 'viewing')).kind).to.equal('saved');
      await changeAccount(port.accounts, role.account, { blocked: BLOCK });
      const again = await loaded(port, role.id);
      const refused = await other.roles.save(again.value, again.version, [anEvent()], 'viewing');
      expect(refused).to.include({ kind: 'refused', code: 'account_blocked' });
      expect((await other.roles.save(again.value, again.version, [anEvent()], 'operator')).kind).to.equal(
        'saved',
      );
    }),
  'service-mode/goes-on: while read-only, keys are revoked and used, sessions begin and end, tries and views are counted and accounts are saved':
    withPeer(async (port, { accounts, apiKeys, attempts, sessions, views }) => {
      await port.apiKeys.create(anApiKey(1), [anEvent()]);
      await port.apiKeys.create(anApiKey(2), [anEvent()]);
      await makeReadOnly(port);
      await apiKeys.touch(anApiKey(1).id, START, START);
      expect((await port.apiKeys.find(anApiKey(1).id))?.lastUsedAt).to.equal(START);
      expect(await apiKeys.revoke(anApiKey(2).id, START, [anEvent()])).to.deep.equal({ kind: 'revoked' });
      expect((await port.apiKeys.find(anApiKey(2).id))?.revokedAt).to.equal(START);
      const [session, link] = [aSession(1), aLink(1)];
      await sessions.begin(session, [anEvent()]);
      await sessions.offer(link, [anEvent()]);
      expect((await sessions.redeem(aRedemption(link, aSession(2)), [])).kind).to.equal('redeemed');
      expect(await port.sessions.find(session.tokenHash, START)).to.deep.equal(session);
      await sessions.end(session.tokenHash, [anEvent()]);
      expect(await port.sessions.find(session.tokenHash, START)).to.equal(undefined);
      await attempts.settle(await admit(attempts, aTry({ perAddress: 1 })));
      expect((await port.attempts.begin(aTry({ perAddress: 1 }))).kind).to.equal('limited');
      const viewed = { day: dayOf(START), views: 2, refusedPasswords: 1 };
      await views.add([{ role: aRoleId(1), ...viewed }]);
      expect(await port.views.list(aRoleId(1), viewed.day)).to.deep.equal([viewed]);
      const saved = await accounts.save(anAccount(1, { blocked: BLOCK }), undefined, [anEvent()]);
      expect(saved.kind).to.equal('saved');
      expect((await port.accounts.load(anAccountName(1)))?.value.blocked).to.deep.equal(BLOCK);
    }),
};
