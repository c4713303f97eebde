import {
  type AccountLimits,
  after,
  type Block,
  type CommitOutcome,
  days,
  type Generation,
  hours,
  type PublicationLimits,
  type RateText,
  type Title,
} from '@pinfold/core';
import { FIRST_GENERATION, NO_ACCOUNT_LIMITS } from '@pinfold/core/adapter';
import { expect } from 'chai';
import { type AccountStores, type StoreClauses, withPeer } from '../contract.ts';
import { anAccountName, BLOCK, changeAccount } from '../fixtures/accounts.ts';
import { START } from '../fixtures/clock.ts';
import { anApiKey } from '../fixtures/credentials.ts';
import { loaded } from '../fixtures/recorded-events.ts';
import {
  ACCOUNT,
  anEvent,
  aPublication,
  aReservation,
  aToken,
  leaseOf,
  publishTo,
  UNBOUNDED,
} from '../fixtures/roles.ts';

const ONE_OF_EACH: PublicationLimits = {
  ...UNBOUNDED,
  publications: { count: 1, window: hours(1) },
  sites: 1,
  bytes: 512,
};

/** Reserves and commits the `n`th role; returns the refusal, if any. */
async function publish({ roles }: AccountStores, n: number, limits: PublicationLimits): Promise<string> {
  const reserved = await roles.reserve(aReservation(n, { limits }));
  if (reserved.kind !== 'reserved') return codeOf(reserved);
  return codeOf(await roles.commit({ ...aPublication(n), limits }, reserved.lease, [anEvent()]));
}

function codeOf(outcome: CommitOutcome | { readonly kind: string }): string {
  return 'code' in outcome ? outcome.code : outcome.kind;
}

async function change(
  { accounts }: AccountStores,
  more: Partial<{ limits: Partial<AccountLimits>; blocked: Block | null; generation: Generation }>,
): Promise<void> {
  const limits = { ...((await accounts.load(ACCOUNT))?.value.limits ?? NO_ACCOUNT_LIMITS), ...more.limits };
  await changeAccount(accounts, ACCOUNT, { ...more, limits });
}

export const boundClauses: StoreClauses<AccountStores> = {
  'account-store/limits-precede: once saved, the limits of an account override those of its publications for every peer, and `off` means none':
    withPeer(async (port, other) => {
      expect(await publish(port, 1, ONE_OF_EACH)).to.equal('committed');
      expect(await publish(other, 2, ONE_OF_EACH), 'those of all').to.equal('rate_limited');
      await change(port, { limits: { publications: 'off' as RateText } });
      expect(await publish(other, 2, ONE_OF_EACH)).to.equal('quota_exceeded');
      await change(port, { limits: { sites: 2, bytes: 'off' } });
      expect(await publish(other, 2, ONE_OF_EACH)).to.equal('committed');
      expect(await publish(other, 3, ONE_OF_EACH), 'its own').to.equal('quota_exceeded');
      expect(await publish(other, 3, UNBOUNDED), 'where there are none for all').to.equal('quota_exceeded');
      await change(other, { limits: { ...NO_ACCOUNT_LIMITS, publications: '2/2h' as RateText } });
      expect(await publish(port, 3, UNBOUNDED), 'one of two was taken').to.equal('committed');
      expect(await publish(port, 4, UNBOUNDED), 'both were').to.equal('rate_limited');
    }),
  'account-store/blocked: once an account is blocked, every peer refuses its reservations, commits and replays until it is unblocked':
    withPeer(async (port, other) => {
      expect(await publish(port, 1, UNBOUNDED)).to.equal('committed');
      await port.roles.reserve(aReservation(2));
      await change(port, { blocked: BLOCK });
      const refused = { kind: 'refused', code: 'account_blocked', reason: BLOCK.reason };
      for (const n of [1, 2, 3]) {
        expect(await other.roles.reserve(aReservation(n, { token: aToken(50) }))).to.deep.equal(refused);
      }
      const lease = leaseOf(aReservation(2));
      const before = await port.accounts.load(ACCOUNT);
      const later = { ...aPublication(2), now: after(START, hours(1)) };
      expect(await other.roles.commit(later, lease, [anEvent()])).to.deep.equal(refused);
      expect(await port.accounts.load(ACCOUNT), 'not published').to.deep.equal(before);
      expect(await port.roles.load(aPublication(2).role.id)).to.equal(undefined);
      await change(other, { blocked: null });
      expect((await port.roles.commit(aPublication(2), lease, [anEvent()])).kind).to.equal('committed');
    }),
  'account-store/blocked-changes: once an account is blocked, every peer refuses to save its roles and to create keys for it, except with the authority of the operator; a refusal changes nothing':
    withPeer(async (port, other) => {
      await publish(port, 1, UNBOUNDED);
      const { id } = aPublication(1).role;
      const before = await loaded(port, id);
      const changed = { ...before.value, title: 'Another' as Title };
      const key = anApiKey(1, { account: ACCOUNT });
      await change(port, { blocked: BLOCK });
      const refused = { kind: 'refused', code: 'account_blocked', reason: BLOCK.reason };
      for (const authority of [[], ['account'] as const]) {
        const saved = await other.roles.save(changed, before.version, [anEvent()], ...authority);
        expect(saved).to.deep.equal(refused);
        expect(await other.apiKeys.create(key, [anEvent()], ...authority)).to.deep.equal(refused);
      }
      expect((await loaded(port, id)).value).to.deep.equal(before.value);
      const ended = { now: after(START, days(99)), endedBefore: after(START, days(99)), begunBefore: START };
      expect((await other.roles.countForCleanup(ended)).archives, 'to remove').to.equal(1);
      expect(await port.apiKeys.find(key.id)).to.equal(undefined);
      const keyOfAnotherAccount = anApiKey(2, { account: anAccountName(2) });
      expect((await other.apiKeys.create(keyOfAnotherAccount, [anEvent()])).kind, 'another account').to.equal(
        'created',
      );
      expect((await other.apiKeys.create(key, [anEvent()], 'operator')).kind).to.equal('created');
      const byOperator = await other.roles.save(changed, before.version, [anEvent()], 'operator');
      expect(byOperator.kind).to.equal('saved');
      await change(other, { blocked: null });
      const { version } = await loaded(port, id);
      expect((await port.roles.save(before.value, version, [anEvent()])).kind).to.equal('saved');
      expect((await port.apiKeys.create(anApiKey(3, { account: ACCOUNT }), [anEvent()])).kind).to.equal(
        'created',
      );
    }),
  'account-store/with-roles: every peer loads a role with the saved generation of its account, and with whether a block hides its sites':
    withPeer(async (port, other) => {
      await publish(port, 1, UNBOUNDED);
      await publishTo(port.roles, aPublication(2, { account: anAccountName(2) }));
      const seen = async (n: number) => {
        const { isHidden, accountGeneration } = await loaded(other, aPublication(n).role.id);
        return { isHidden, accountGeneration };
      };
      const unused = { isHidden: false, accountGeneration: FIRST_GENERATION };
      expect(await seen(1)).to.deep.equal(unused);
      const generation = 2_000_000_000 as Generation;
      await change(port, { blocked: { ...BLOCK, sites: 'hide' }, generation });
      expect(await seen(1)).to.deep.equal({ isHidden: true, accountGeneration: generation });
      expect(await seen(2), 'of another account').to.deep.equal(unused);
      await change(port, { blocked: { ...BLOCK, sites: 'keep' } });
      expect(await seen(1)).to.deep.equal({ isHidden: false, accountGeneration: generation });
      await change(port, { blocked: null });
      expect(await seen(1)).to.deep.equal({ isHidden: false, accountGeneration: generation });
    }),
};
