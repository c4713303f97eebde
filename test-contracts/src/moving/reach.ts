import type { Import } from '@pinfold/core/moving';
import type { Clause, StoreSubject } from '../contract.ts';
import { expectAborted } from '../expect-aborts.ts';
import { expectFaults, expectUnreachable } from '../expect-faults.ts';
import { aToken } from '../fixtures/roles.ts';
import type { MovingStores } from './subject.ts';

type ReachClause = Clause<MovingStores, StoreSubject<MovingStores>>;

export const snapshotReach: readonly ReachClause[] = [
  {
    id: 'snapshot/unreachable',
    says: 'while the database does not answer, reading rejects with the fault store_unavailable and what caused it',
    check: async ({ unreachable }) => {
      const { snapshot } = await unreachable();
      const reading = snapshot.records()[Symbol.asyncIterator]();
      await expectFaults('store_unavailable', { records: reading.next() });
    },
  },
];

export const importReach: readonly ReachClause[] = [
  {
    id: 'import/unreachable',
    says: 'while the database does not answer, every call rejects with the fault store_unavailable and what caused it',
    check: async ({ unreachable }) => {
      const { imports } = await unreachable();
      const calls: Readonly<Record<keyof Import, () => Promise<unknown>>> = {
        isUnfinished: () => imports.isUnfinished(),
        begin: () => imports.begin(aToken(1)),
        keep: () => imports.keep(aToken(1), []),
        end: () => imports.end(aToken(1)),
      };
      await expectUnreachable('store_unavailable', calls);
    },
  },
  {
    id: 'import/unfinished-aborted',
    says: 'an aborted signal rejects with its reason',
    check: async ({ port: { imports } }) =>
      await expectAborted({ isUnfinished: (signal) => imports.isUnfinished(signal) }),
  },
];
