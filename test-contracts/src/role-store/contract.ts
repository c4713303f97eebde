import type { RoleStore } from '@pinfold/core';
import { type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { aPublication, aRole, publishTo } from '../fixtures/roles.ts';
import { harnessClauses } from '../harness.ts';
import { admissionClauses } from './admission.ts';
import { atOnceClauses } from './at-once.ts';
import { claimClauses, settleClauses } from './cleanup.ts';
import { commitClauses } from './commits.ts';
import { keyClauses } from './keys.ts';
import { leaseClauses } from './leases.ts';
import { listingClauses } from './listing.ts';
import { manyClauses } from './many.ts';
import { reachClauses } from './reach.ts';
import { roleClauses } from './roles.ts';
import { sortedClauses } from './sorted.ts';
import { sweepClauses } from './sweep.ts';

/** The clauses of every {@link RoleStore}. */
export const roleStoreContract: Contract<RoleStore, StoreSubject<RoleStore>> = {
  port: 'RoleStore',
  harness: harnessClauses('role-store', {
    write: async (port, n) => {
      await publishTo(port, aPublication(n));
    },
    sees: async (port, n) => (await port.load(aRole(n).id)) !== undefined,
  }),
  clauses: toClauses({
    ...keyClauses,
    ...leaseClauses,
    ...commitClauses,
    ...admissionClauses,
    ...roleClauses,
    ...listingClauses,
    ...sortedClauses,
    ...claimClauses,
    ...settleClauses,
    ...sweepClauses,
    ...manyClauses,
    ...atOnceClauses,
    ...reachClauses,
  }),
};
