import type { Import } from '@pinfold/core/moving';
import { expectAborted } from '../expect-aborts.ts';
import { expectFaults, expectUnreachable } from '../expect-faults.ts';
import { aToken } from '../fixtures/roles.ts';
import type { MovingStores, StoreClauses } from '../stores.ts';

type ReachClauses = StoreClauses<MovingStores>;

export const snapshotReach: ReachClauses = {
  'snapshot/unreachable: while the database does not answer, reading rejects with the fault store_unavailable and what caused it':
    async ({ unreachable }) => {
      const { snapshot } = await unreachable();
      const reading = snapshot.records()[Symbol.asyncIterator]();
      await expectFaults('store_unavailable', { records: reading.next() });
    },
};

export const importReach: ReachClauses = {
  'import/unreachable: while the database does not answer, every call rejects with the fault store_unavailable and what caused it':
    async ({ unreachable }) => {
      const { imports } = await unreachable();
      const calls: Readonly<Record<keyof Import, () => Promise<unknown>>> = {
        isUnfinished: () => imports.isUnfinished(),
        begin: () => imports.begin(aToken(1)),
        keep: () => imports.keep(aToken(1), []),
        end: () => imports.end(aToken(1)),
      };
      await expectUnreachable('store_unavailable', calls);
    },
  'import/unfinished-aborted: an aborted signal rejects with its reason': async ({ port: { imports } }) =>
    await expectAborted({ isUnfinished: (signal) => imports.isUnfinished(signal) }),
};
