import {
  type AccountLimits,
  type CommitOutcome,
  hours,
  type PublicationLimits,
  type RateText,
} from '@pinfold/core';
import { NO_LIMITS } from '@pinfold/core/adapter';
import { expect } from 'chai';
import { BLOCK } from '../fixtures/accounts.ts';
import {
  ACCOUNT,
  anEvent,
  aPublication,
  aReservation,
  aToken,
  leaseOf,
  UNBOUNDED,
} from '../fixtures/roles.ts';
import type { AccountStoreClause, AccountStores } from './subject.ts';

const ONE_OF_EACH: PublicationLimits = { publications: { count: 1, window: hours(1) }, sites: 1, bytes: 512 };

/** Reserves and commits the `n`th role; answers what was refused, or nothing. */
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
  more: Partial<{ limits: Partial<AccountLimits>; blocked: typeof BLOCK | null }>,
): Promise<void> {
  const loaded = await accounts.load(ACCOUNT);
  if (loaded === undefined) throw new Error('an account is not there');
  const { value, version } = loaded;
  const { name, generation, blocked } = value;
  const limits = { ...value.limits, ...more.limits };
  const saved = await accounts.save({ name, generation, blocked, ...more, limits }, version, [anEvent()]);
  expect(saved.kind).to.equal('saved');
}

/** What an account's row says to its publications. */
export const boundClauses: readonly AccountStoreClause[] = [
  {
    id: 'account-store/limits-precede',
    says: "an account's own limits come before those of its publications, `off` being none, from the save on, by every peer",
    check: async ({ port, peer }) => {
      const other = await peer();
      expect(await publish(port, 1, ONE_OF_EACH)).to.equal('committed');
      expect(await publish(other, 2, ONE_OF_EACH), 'those of all').to.equal('rate_limited');
      await change(port, { limits: { publications: 'off' as RateText } });
      expect(await publish(other, 2, ONE_OF_EACH)).to.equal('quota_exceeded');
      await change(port, { limits: { sites: 2, bytes: 'off' } });
      expect(await publish(other, 2, ONE_OF_EACH)).to.equal('committed');
      expect(await publish(other, 3, ONE_OF_EACH), 'its own').to.equal('quota_exceeded');
      expect(await publish(other, 3, UNBOUNDED), 'where there are none for all').to.equal('quota_exceeded');
      await change(other, { limits: { ...NO_LIMITS, publications: '2/2h' as RateText } });
      expect(await publish(port, 3, UNBOUNDED), 'one of two was taken').to.equal('committed');
      expect(await publish(port, 4, UNBOUNDED), 'both were').to.equal('rate_limited');
    },
  },
  {
    id: 'account-store/blocked',
    says: 'a blocked account neither reserves nor commits, nor is a replay answered, from the save on, by any peer, until it is unblocked',
    check: async ({ port, peer }) => {
      const other = await peer();
      expect(await publish(port, 1, UNBOUNDED)).to.equal('committed');
      await port.roles.reserve(aReservation(2));
      await change(port, { blocked: BLOCK });
      const refused = { kind: 'refused', code: 'account_blocked', reason: BLOCK.reason };
      for (const n of [1, 2, 3]) {
        expect(await other.roles.reserve(aReservation(n, { token: aToken(50) }))).to.deep.equal(refused);
      }
      const lease = leaseOf(aReservation(2));
      expect(await other.roles.commit(aPublication(2), lease, [anEvent()])).to.deep.equal(refused);
      expect(await port.roles.load(aPublication(2).role.id)).to.equal(undefined);
      await change(other, { blocked: null });
      expect((await port.roles.commit(aPublication(2), lease, [anEvent()])).kind).to.equal('committed');
    },
  },
];
