import type { AttemptCounter } from '@pinfold/core';
import { type ClauseTable, type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { aRoleId } from '../fixtures/roles.ts';
import { harnessClauses } from '../harness.ts';
import { limitClauses } from './limits.ts';
import { manyClauses } from './many.ts';
import { aTry } from './tries.ts';
import { underWayClauses } from './under-way.ts';

const attemptClauses: ClauseTable<AttemptCounter> = { ...limitClauses, ...underWayClauses };

/** The clauses of every {@link AttemptCounter}. */
export const attemptCounterContract: Contract<AttemptCounter, StoreSubject<AttemptCounter>> = {
  port: 'AttemptCounter',
  harness: harnessClauses('attempt-counter', {
    write: async (port, n) => {
      await port.begin(aTry({ role: aRoleId(n) }));
    },
    sees: async (port, n) => {
      const probe = aTry({ role: aRoleId(n), perAddress: 1 });
      const outcome = await port.begin(probe);
      if (outcome.kind === 'admitted') await port.forgive(outcome.ticket);
      return outcome.kind !== 'admitted';
    },
  }),
  clauses: toClauses({ ...attemptClauses, ...manyClauses }),
};
